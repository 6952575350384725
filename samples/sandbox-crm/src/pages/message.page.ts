import { html } from './html.ts';
import { page } from './layout.ts';

/** A page that tells people something and offers nothing to do. */
export function messagePage(title: string, paragraphs: readonly string[]): string {
  return page(title, html`${paragraphs.map((text) => html`<p>${text}</p>`)}`);
}
