window.told = "a script of the extension";
