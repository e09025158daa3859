/** Hands a text over to the browser as a file to keep. */

export function save(text: string | Blob, kind: string, name: string): void {
  const blob = typeof text === 'string' ? new Blob([text], { type: kind }) : text;
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the address when it has begun to save.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
