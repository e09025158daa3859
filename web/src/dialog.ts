/** Shows a dialog of the page. */
export function dialog(id: string): void {
  const element = document.getElementById(id);
  if (element instanceof HTMLDialogElement && !element.open) element.showModal();
}
