import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { connectPage } from './layout.ts';
import type { Look } from './layout.ts';

/** A final page of the hosted connect flow, without a form. */
export function connectMessagePage(o: {
  readonly look: Look;
  readonly status?: number;
  readonly title: string;
  readonly text: Html | string | undefined;
  /** The next address; undefined: the person closes the window. */
  readonly back?: { readonly href: string; readonly host: string } | undefined;
  /** Whether the window has no further use. */
  readonly isEnd: boolean;
  /** The request's id, if an administrator may have to look it up. */
  readonly requestId?: string;
}): RenderedPage {
  const { messages } = o.look.language;
  return connectPage({
    look: o.look,
    status: o.status ?? 200,
    title: o.title,
    content: html`${o.text === undefined ? undefined : html`<p>${o.text}</p>`}
    ${o.isEnd ? ending(o) : undefined}
    ${
      o.requestId === undefined ? undefined : html`<p><small>${messages.reference} ${o.requestId}</small></p>`
    }`,
  });
}

function ending({
  look,
  back,
}: {
  readonly look: Look;
  readonly back?: { readonly href: string; readonly host: string } | undefined;
}): Html {
  const { messages } = look.language;
  if (back !== undefined)
    return html`<div class="actions">
      <a class="button" href="${back.href}">${messages.returnTo(back.host)}</a>
    </div>`;
  return html`<p>${messages.mayClose}</p>
    <div class="actions"><button type="button" id="close" hidden>${messages.closeWindow}</button></div>`;
}
