// The only way to a style sheet of user origin: a content script's own sheets are of author origin.
chrome.tabs.onUpdated.addListener((tabId, change) => {
  if (change.status === "complete") {
    chrome.scripting.insertCSS({target: {tabId}, css: "p { letter-spacing: 3px !important }", origin: "USER"});
  }
});
