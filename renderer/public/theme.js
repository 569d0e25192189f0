// Sets theme and density before the first paint, from the cache of the person's preferences. Runs in the head, blocking, so it stays tiny.
(function () {
  var root = document.documentElement;
  var saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('svc.appearance') || '{}') || {};
  } catch (error) {
    saved = {};
  }
  var dark = saved.theme === 'dark' || (saved.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  root.dataset.contrast =
    saved.contrast === 'high' || (saved.contrast !== 'normal' && matchMedia('(prefers-contrast: more)').matches) ? 'high' : 'normal';
  root.dataset.density = saved.density === 'compact' ? 'compact' : 'comfortable';
})();
