document.write("<b>written by 2</b>");
