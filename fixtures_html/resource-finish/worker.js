(async () => {
  const body = await (await fetch('/gen/text?bytes=600&x-kind=worker')).text();
  await (await fetch('data:text/plain,abc')).text();
  postMessage(body.length);
})();
