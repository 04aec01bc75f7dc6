document.write("<b>written by 1</b>");
