// Imports parts of the console once their files have arrived. Browsers keep a failed import for the life of the page (HTML, "fetch a single
// module script"), but repeat a request that failed, and take the import's files from their cache.

const arrived = new Map<string, Promise<void>>();

/** The page itself brings some. */
function isInPage(url: string): boolean {
  const present = document.querySelectorAll<HTMLLinkElement | HTMLScriptElement>(
    'link[rel=modulepreload], link[rel=stylesheet], script[src]',
  );
  return [...present].some((element) => ('href' in element ? element.href : element.src) === url);
}

async function fetchScript(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  await answer.arrayBuffer();
}

function addStyles(url: string): Promise<void> {
  const link = document.createElement('link');
  return new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${url} could not be loaded`));
    };
    Object.assign(link, { rel: 'stylesheet', crossOrigin: '', href: url });
    document.head.append(link);
  });
}

function arrive(url: string): Promise<void> {
  const known = arrived.get(url);
  if (known) return known;
  const fetching = isInPage(url) ? Promise.resolve() : new URL(url).pathname.endsWith('.css') ? addStyles(url) : fetchScript(url);
  arrived.set(url, fetching);
  fetching.catch(() => arrived.delete(url));
  return fetching;
}

/** Replaces the helper that Vite puts around each dynamic import. `files` are all files that the import needs, relative to `importer`. */
export async function importCode<Module>(load: () => Promise<Module>, files: readonly string[], importer: string): Promise<Module> {
  await Promise.all(files.map((file) => arrive(new URL(file, importer).href)));
  return load();
}
