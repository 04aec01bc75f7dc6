// Answers for what lies below worker/: the page itself is made here, so that no server is asked for it.
const page = '<!doctype html><title>Made by a service worker</title><script>const ask = (name) => fetch(name).then((answer) => answer.text()).then((body) => body.length);'
  + 'async function run() { return { made: await ask("made"), kept: await ask("kept"), passed: await ask("passed") }; }</script>';

addEventListener('install', (event) => event.waitUntil((async () => {
  const cache = await caches.open('kept-here');
  await cache.put('worker/kept', await fetch('/gen/text?bytes=321&x-kind=stored'));
})()));

addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  if (pathname.endsWith('/made')) event.respondWith(new Response('made'));
  else if (pathname.endsWith('/kept')) event.respondWith(caches.match('worker/kept'));
  else if (pathname.endsWith('/passed')) event.respondWith(fetch('/gen/text?bytes=77&x-kind=passed-on'));
  else event.respondWith(new Response(page, { headers: { 'Content-Type': 'text/html' } }));
});
