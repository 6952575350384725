import { html } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import type { AskingClient, UserCodeProblem } from '../oauth/interactions.ts';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import { PROBLEM_ID, cardPage } from '@fairlead/pages/card-page';
import type { Problem } from '@fairlead/pages/card-page';
import { messagePage } from './message.page.ts';

/** Response status for a code that no device is waiting for; guesses are counted by it. */
export const WRONG_CODE_STATUS = 422;

type Ending = Extract<UserCodeProblem, 'denied' | 'failed'>;

const PROBLEMS: Readonly<Record<Exclude<UserCodeProblem, Ending>, Problem>> = {
  missing: { title: 'No code was entered', text: 'Enter the code that your device shows.' },
  unknown: {
    title: 'No device is waiting for this code',
    text: 'Check the code on your device and enter it again.',
  },
  expired: { title: 'This code has expired', text: 'Start again on your device to get a new one.' },
  used: { title: 'This code has already been used', text: 'Start again on your device to get a new one.' },
};

/** Outcomes of a device code. */
const ENDINGS: Readonly<Record<Ending, Problem>> = {
  denied: { title: 'Access was denied', text: 'Your device has been notified. You can close this window.' },
  failed: {
    title: 'The device could not be connected',
    text: 'Start again on your device to get a new code.',
  },
};

/** Asks for the code that a device shows. */
export function enterCodePage(o: {
  readonly action: string;
  readonly xsrf: string;
  readonly userCode: string | undefined;
  readonly problem: UserCodeProblem | undefined;
}): RenderedPage {
  const { problem } = o;
  if (problem === 'denied' || problem === 'failed') return endedPage(ENDINGS[problem], o.action);
  const isWrong = problem !== undefined && problem !== 'missing';
  const about = html` aria-describedby="${problem === undefined ? '' : `${PROBLEM_ID} `}code-hint"`;
  return cardPage({
    status: isWrong ? WRONG_CODE_STATUS : 200,
    title: 'Connect a device',
    problem: problem === undefined ? undefined : PROBLEMS[problem],
    formTargets: [],
    content: html`<form method="post" action="${o.action}">
      <input type="hidden" name="xsrf" value="${o.xsrf}" />
      <label for="user_code">Code</label>
      <input
        type="text"
        class="code"
        id="user_code"
        name="user_code"
        value="${o.userCode ?? ''}"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="32"
        required
        autofocus${about}${problem === undefined ? undefined : html` aria-invalid="true"`}
      />
      <p id="code-hint"><small>Your device shows it, for example BCDF-GHJK.</small></p>
      <div class="actions"><button type="submit">Continue</button></div>
    </form>`,
  });
}

function endedPage({ title, text }: Problem, action: string): RenderedPage {
  return cardPage({
    title,
    content: html`<p>${text}</p>
      <p><a href="${action}">Enter another code</a></p>`,
  });
}

/** Asks whether the device shows exactly this code: a link can carry the code of another person's device. */
export function confirmCodePage(o: {
  readonly action: string;
  readonly xsrf: string;
  readonly userCode: string;
  readonly client: AskingClient;
}): RenderedPage {
  const name = shownName(o.client.name, o.client.id);
  return cardPage({
    title: 'Is this your device?',
    formTargets: [],
    content: html`<p>${nameInText(name)} on a device wants to connect to your Fairlead account.</p>
      <p>It must show exactly this code:</p>
      <p class="usercode">${o.userCode}</p>
      <p>
        <small
          >Continue only if you started this yourself, just now, on your own device. Anyone who sent you this
          code or a link to this page would get access to your account.</small
        >
      </p>
      <form method="post" action="${o.action}">
        <input type="hidden" name="xsrf" value="${o.xsrf}" />
        <input type="hidden" name="user_code" value="${o.userCode}" />
        <div class="actions pair">
          <button type="submit" class="quiet" name="abort" value="yes">No, cancel</button>
          <button type="submit" name="confirm" value="yes">Yes, continue</button>
        </div>
      </form>`,
  });
}

/** The device is authorized. */
export function deviceConnectedPage(client: AskingClient): RenderedPage {
  return messagePage({
    status: 200,
    title: 'Your device is connected',
    paragraphs: [`${shownName(client.name, client.id)} can continue. You can close this window.`],
  });
}
