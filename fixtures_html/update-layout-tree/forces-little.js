// Three reads of a color, each of which forces a pass over every row. The page's own clock measures each.
function forceLittle() {
  for (let i = 0; i < 3; i++) {
    document.body.classList.toggle("on");
    const style = getComputedStyle(document.body.lastElementChild);
    const start = performance.now();
    void style.color;
    performance.measure("little", { start, end: performance.now() });
  }
}
const little = new Promise(done => addEventListener("load", () => setTimeout(() => { forceLittle(); done(); }, 600)));
