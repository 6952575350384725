import { html } from './html.ts';
import { page } from './layout.ts';

/** A page with a message and no action. */
export function messagePage(title: string, paragraphs: readonly string[]): string {
  return page(title, html`${paragraphs.map((text) => html`<p>${text}</p>`)}`);
}
