import { PROBLEM_ID } from '@fairlead/pages/card-page';
import { cardStyle } from '@fairlead/pages/card-style';
import { Html, html, inlineHash, renderUnder } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import type { Language } from './languages/choose.ts';
import type { Requester } from './languages/messages.ts';
import { colorsOf } from './theme.ts';
import type { Theme } from './theme.ts';

/** Appearance of all pages of a session. */
export interface Look {
  readonly language: Language;
  readonly theme: Theme;
  /** The account's name; undefined on a page without a session. */
  readonly accountName: string | undefined;
  /** The name of the user who opened the session; undefined on a page without a session. */
  readonly userName: string | undefined;
  /** Message for the window that opened this one; undefined while the session is open, or without a session. */
  readonly news: News | undefined;
}

/** The session's status, and the origins of windows that get it. */
export interface News {
  readonly sessionId: string;
  readonly status: string;
  readonly allowedOrigins: readonly string[];
  /** Whether this window closes itself after the message. */
  readonly isClosing: boolean;
}

/** A problem in the page's language; `detail` is in the vendor's or service's words. */
export interface PageProblem {
  readonly title: string;
  readonly text: string;
  readonly detail?: string;
}

/** A page in the account's colours. Its only script is constant, and it works without scripts. */
export function connectPage(o: {
  readonly look: Look;
  readonly status?: number;
  readonly title: string;
  readonly problem?: PageProblem | undefined;
  readonly content: Html | readonly Html[];
  /** Origins, besides ours, to which the page's forms may lead. */
  readonly formTargets?: readonly string[];
  /** CSP sources of its images, besides our origin and the account's logo. */
  readonly images?: readonly string[];
}): RenderedPage {
  const { look, problem } = o;
  const { code, messages } = look.language;
  const { logo, mode, primaryColor } = look.theme;
  const account = look.accountName === undefined ? 'Fairlead' : shownName(look.accountName, 'Fairlead');
  const style = `${cardStyle(mode, colorsOf(primaryColor))}\n${STYLE}`;
  return renderUnder(
    ["default-src 'none'", `style-src ${inlineHash(style)}`, `script-src ${inlineHash(SCRIPT)}`],
    {
      images: [...(o.images ?? []), ...(logo === undefined ? [] : [logo.origin])],
      status: o.status ?? 200,
      lang: code,
      title: `${problem === undefined ? '' : messages.problemPrefix}${o.title} · ${account}`,
      formAction: ["'self'", ...(o.formTargets ?? [])].join(' '),
      // Outside of the template, whose formatting could add white space and change the script's hash.
      head: new Html(`<style>${style}</style>`),
      body: html`<main${newsAttributes(look.news)}>
          <p class="brand">
            ${logo === undefined ? undefined : html`<img class="logo" src="${logo.url}" alt="" />`}<bdi>${account}</bdi>
          </p>
          <h1>${o.title}</h1>
          ${problem === undefined ? undefined : problemBox(problem)} ${o.content}
        </main>
        ${new Html(`<script>${SCRIPT}</script>`)}`,
    },
  );
}

/** The account's name within a sentence. */
export function accountInText({ accountName }: Look): Html {
  return nameInText(shownName(accountName ?? '', '—'));
}

/** The names of who asks, within a sentence. */
export function askingInText(look: Look): Requester {
  return { user: nameInText(shownName(look.userName ?? '', '—')), account: accountInText(look) };
}

function problemBox(problem: PageProblem): Html {
  const detail =
    problem.detail === undefined ? undefined : html`<p><bdi lang="en">${problem.detail}</bdi></p>`;
  return html`<div class="problem" role="alert" id="${PROBLEM_ID}">
    <p><strong>${problem.title}</strong></p>
    <p>${problem.text}</p>
    ${detail}
  </div>`;
}

function newsAttributes(news: News | undefined): Html {
  if (news === undefined) return html``;
  const { sessionId, status, allowedOrigins, isClosing } = news;
  return html` data-session="${sessionId}" data-status="${status}"
  data-origins="${JSON.stringify(allowedOrigins)}"${isClosing ? html` data-close="yes"` : undefined}`;
}

/**
 * Sends the session's status to the opener if its origin is allowed, and shows the button that closes the window. A form that leads to the
 * vendor first clears the opener, which the vendor's page could otherwise navigate.
 */
const SCRIPT = `(()=>{const{session,status,origins,close:closes}=document.querySelector('main').dataset;
if(status){if(opener)for(const origin of JSON.parse(origins))opener.postMessage({type:'fairlead.connect',sessionId:session,status},origin);
const button=document.getElementById('close');if(button){button.hidden=false;button.addEventListener('click',()=>window.close())}
if(closes)window.close()}
for(const form of document.querySelectorAll('form[data-leaves]'))form.addEventListener('submit',()=>{opener=null})})()`;

const STYLE = `.brand{flex-wrap:wrap}.logo{max-width:100%;max-height:2.5rem}
[hidden]{display:none}
textarea{min-height:7rem;font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.875rem}
.check{display:flex;gap:.625rem;align-items:flex-start;margin-top:1rem}.check input{flex:none;width:1.25rem;height:1.25rem;margin:.125rem 0 0;accent-color:var(--accent)}.check label{margin:0}
.hint{margin:0 0 .375rem;font-size:.875rem;color:var(--muted)}.hint:last-child{margin:.375rem 0 0}
.hint.tested{margin:1rem 0 0}
.issue{margin:.375rem 0 0;font-size:.875rem;font-weight:600;color:var(--danger)}
ul.apps,ul.methods{margin:1rem 0;padding:0;list-style:none}
ul.apps a{display:block;margin:0 0 .5rem;padding:.75rem;min-height:2.75rem;color:var(--text);text-decoration:none;border:1px solid var(--border);border-radius:.5rem}
ul.apps img{float:inline-start;width:1.5rem;height:1.5rem;margin-inline-end:.625rem}ul.apps a:hover{background:var(--note);border-color:var(--accent)}ul.apps strong{color:var(--accent)}ul.apps small{display:block}
ul.methods li{margin:0 0 .5rem}ul.methods a,summary{display:block;padding:.625rem .75rem;min-height:2.75rem;border:1px solid var(--border);border-radius:.5rem}
ul.methods a{text-decoration:none;font-weight:600}ul.methods a:hover,summary:hover{background:var(--note)}
summary{display:list-item;list-style-position:inside;font-weight:600;color:var(--accent);cursor:pointer}
details form{margin:0 0 1.25rem}details form .actions{margin-top:1rem}
form.cancel{margin-top:.75rem}ul.methods+form.cancel{margin-top:1.5rem}
.trust{margin-top:1rem;font-size:.875rem}
nav{display:flex;justify-content:space-between;gap:1rem;margin-top:1rem}`;
