import { cardPage } from './card-page.ts';
import { html } from './html.ts';

/** Shown to a person at an address that is no route. */
export const NOT_FOUND_PAGE = cardPage({
  status: 404,
  title: 'Page not found',
  content: html`<p>There is nothing at this address. Check it for typing errors.</p>
    <p><a href="/">Go to the start page</a></p>`,
});
