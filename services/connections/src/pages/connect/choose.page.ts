import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { nameInText, shownName, shownText } from '@fairlead/pages/shown-name';
import type { ApplicationSummary } from '../../ports/catalog.ts';
import type { Messages } from './languages/messages.ts';
import { askingInText, connectPage } from './layout.ts';
import type { Look, PageProblem } from './layout.ts';
import { cancelForm } from './method.page.ts';
import type { FormTarget } from './method.page.ts';

/** Number of applications per page. */
export const PAGE_SIZE = 25;

/** The list of applications offered by a session. */
export function choosePage(o: {
  readonly look: Look;
  readonly form: FormTarget;
  readonly applications: readonly ApplicationSummary[];
  readonly totalCount: number;
  readonly offset: number;
  readonly search: string;
  /** Names of the applications connected in this session. */
  readonly connected: readonly string[];
  /** Address that a person opens when done; undefined: they close the window. */
  readonly done: { readonly href: string } | undefined;
  readonly problem: PageProblem | undefined;
}): RenderedPage {
  const { messages } = o.look.language;
  const asking = askingInText(o.look);
  const isSearchable = o.search !== '' || o.totalCount > PAGE_SIZE;
  return connectPage({
    look: o.look,
    title: messages.chooseTitle,
    problem: o.problem,
    formTargets: o.form.formTargets,
    images: ['data:'],
    content: html`${o.connected.map((name) => html`<p role="status">${messages.connected(nameInText(shownName(name, '—')))}</p>`)}
      <p>${messages.chooses(asking)}</p>
      <p class="muted trust">${messages.trust(asking.account)}</p>
      ${isSearchable ? searchForm(o, messages) : undefined} ${list(o, messages)} ${pages(o, messages)}
      ${o.connected.length > 0 ? doneButton(o.done, messages) : cancelForm(o.form, messages)}`,
  });
}

function searchForm(
  { form, search }: { readonly form: FormTarget; readonly search: string },
  messages: Messages,
): Html {
  return html`<form method="get" action="${form.path}" role="search">
    <label for="search">${messages.searchLabel}</label>
    <input type="search" id="search" name="search" value="${search}" maxlength="200" />
    <div class="actions"><button class="quiet" type="submit">${messages.search}</button></div>
  </form>`;
}

function list(
  { form, applications }: { readonly form: FormTarget; readonly applications: readonly ApplicationSummary[] },
  messages: Messages,
): Html {
  if (applications.length === 0) return html`<p role="status">${messages.noMatch}</p>`;
  return html`<ul class="apps">
    ${applications.map(
      ({ slug, name, description, logoUrl }) =>
        html`<li lang="en">
          <a href="${form.path}?${new URLSearchParams({ application: slug }).toString()}"
            >${ownLogo(logoUrl)}<strong><bdi>${shownName(name, slug)}</bdi></strong
            ><small>${shownText(description)}</small></a
          >
        </li>`,
    )}
  </ul>`;
}

/** Logos of other hosts are omitted, because the host would learn who opens the page. */
function ownLogo(logoUrl: string | null): Html | undefined {
  if (logoUrl?.startsWith('data:image/') !== true) return undefined;
  return html`<img src="${logoUrl}" alt="" width="24" height="24" />`;
}

function pages(
  o: {
    readonly form: FormTarget;
    readonly totalCount: number;
    readonly offset: number;
    readonly search: string;
  },
  messages: Messages,
): Html | undefined {
  const link = (offset: number, text: string): Html => {
    const query = new URLSearchParams({
      ...(o.search !== '' && { search: o.search }),
      offset: String(offset),
    });
    return html`<a href="${o.form.path}?${query.toString()}">${text}</a>`;
  };
  const links = [
    ...(o.offset > 0 ? [link(Math.max(0, o.offset - PAGE_SIZE), messages.previousPage)] : []),
    ...(o.offset + PAGE_SIZE < o.totalCount ? [link(o.offset + PAGE_SIZE, messages.nextPage)] : []),
  ];
  return links.length === 0 ? undefined : html`<nav>${links}</nav>`;
}

function doneButton(done: { readonly href: string } | undefined, messages: Messages): Html {
  return html`<div class="actions">
    ${
      done === undefined
        ? html`<button type="button" id="close" hidden>${messages.done}</button>`
        : html`<a class="button" href="${done.href}">${messages.done}</a>`
    }
  </div>`;
}
