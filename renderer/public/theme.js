// Shows the person's appearance settings, and follows the system where they say so. Runs in the head before the first paint, from the
// settings of the last visit, so it stays tiny.
(function () {
  var root = document.documentElement;
  var dark = matchMedia('(prefers-color-scheme: dark)');
  var print = matchMedia('print');
  var moreContrast = matchMedia('(prefers-contrast: more)');
  var chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('svc.appearance') || '{}') || {};
  } catch (error) {
    chosen = {};
  }
  function show() {
    var isDark = chosen.theme === 'dark' || (chosen.theme !== 'light' && dark.matches);
    // Paper is light.
    root.dataset.theme = isDark && !print.matches ? 'dark' : 'light';
    root.dataset.contrast = chosen.contrast === 'high' || (chosen.contrast !== 'normal' && moreContrast.matches) ? 'high' : 'normal';
    root.dataset.density = chosen.density === 'compact' ? 'compact' : 'comfortable';
  }
  show();
  dark.addEventListener('change', show);
  print.addEventListener('change', show);
  moreContrast.addEventListener('change', show);
  addEventListener('svc:appearance', function (event) {
    chosen = event.detail;
    show();
  });
})();
