// 33 reads of a color, each of which forces a pass over every row. The page's own clock measures each.
function forceMuch() {
  for (let i = 0; i < 33; i++) {
    document.body.classList.toggle("on");
    const style = getComputedStyle(document.body.lastElementChild);
    const start = performance.now();
    void style.color;
    performance.measure("much", { start, end: performance.now() });
  }
}
const much = new Promise(done => addEventListener("load", () => setTimeout(() => { forceMuch(); done(); }, 200)));
