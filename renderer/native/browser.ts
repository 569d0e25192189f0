// The browser's part: tabs and downloads.

/** Without access of the new page to this one. */
export function openTab(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}

export function downloadFile(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser holds its own reference to the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
