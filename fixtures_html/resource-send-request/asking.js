(function ask() {
  fetch('/gen/text?bytes=10&x-kind=fetched');
})();
