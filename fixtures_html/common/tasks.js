// Where the markers /*@name*/ of the page's source stand: {name: {line, column}}, both from 1, of the character right
// behind each. A scenario asks for it last (it costs a request) and tests the positions of stacks against the answer.
async function markers() {
  const source = await (await fetch(location.href)).text();
  const found = {};
  for (const marker of source.matchAll(/\/\*@(\w+)\*\//g)) {
    const before = source.slice(0, marker.index + marker[0].length).split("\n");
    found[marker[1]] = { line: before.length, column: before.at(-1).length + 1 };
  }
  return found;
}

// Runs each function in a task of its own, so that the trace has one FunctionCall with its name. Before the next one there
// is a pause, and a whole frame: nothing that one leaves dirty is left for the next, however busy the machine is.
function runApart(functions, pause = 40) {
  return new Promise(done => {
    const next = rest => {
      if (!rest.length) return done();
      setTimeout(rest[0]);
      setTimeout(() => requestAnimationFrame(() => setTimeout(next, 0, rest.slice(1))), pause);
    };
    next(functions);
  });
}
