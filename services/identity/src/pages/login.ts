import type { RenderedPage } from '@fairlead/pages/html';
import { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { InteractionGoneError } from '../oauth/interactions.ts';
import { accountPage } from './account.page.ts';
import { readForm } from '@fairlead/service-kit/http/form';
import type { Problem } from '@fairlead/pages/card-page';
import { activeMembers } from './members.ts';
import type { PageCall, ShowPage } from './page-call.ts';
import { INCOMPLETE, NOT_ACTIVE, OTHER_ACCOUNT, STALE_FORM, WRONG_PASSWORD, tooMany } from './problems.ts';
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, signInPage } from './sign-in.page.ts';

/** The interaction of this browser; throws InteractionGoneError if there is none. */
export async function interactionOf({ parts, request, response }: PageCall): Promise<InteractionDetails> {
  const details = await parts.interactions.find(request, response);
  if (details === undefined) throw new InteractionGoneError('The interaction has ended.');
  return details;
}

/** The token that an interaction's forms send back; it is valid for this interaction only. */
export function formTokenOf({ parts }: PageCall, details: InteractionDetails): string {
  return parts.keys.sign('form', details.id);
}

/** The fields of an interaction's form; undefined if its token is invalid. Throws a FormError. */
export async function formOf(
  call: PageCall,
  details: InteractionDetails,
): Promise<URLSearchParams | undefined> {
  const form = await readForm(call.exchange, call.request, call.parts.publicOrigin);
  return call.parts.keys.isSigned(form.get('form_token') ?? '', 'form', details.id) ? form : undefined;
}

/** The sign-in page, with the problem if there is one. */
export function askToSignIn(
  call: PageCall,
  details: InteractionDetails,
  o: {
    readonly status?: number;
    readonly email?: string;
    readonly problem?: Problem;
    readonly isInputWrong?: boolean;
  } = {},
): RenderedPage {
  return signInPage({
    status: o.status ?? 200,
    details,
    formToken: formTokenOf(call, details),
    email: (o.email ?? details.loginHint ?? '').slice(0, MAX_EMAIL_LENGTH),
    problem: o.problem,
    isInputWrong: o.isInputWrong ?? false,
    upstreamName: call.parts.upstream?.name,
  });
}

/** Checks e-mail address and password, and continues as their user. */
export const signIn: ShowPage = async (call) => {
  const { parts, request, response } = call;
  const details = await interactionOf(call);
  const form = await formOf(call, details);
  if (form === undefined) return askToSignIn(call, details, { status: 403, problem: STALE_FORM });
  const email = (form.get('email') ?? '').trim().toLowerCase();
  const password = form.get('password') ?? '';
  if (email === '' || password === '')
    return askToSignIn(call, details, { status: 400, email, problem: INCOMPLETE, isInputWrong: true });

  const admission = await parts.throttle.signIn({
    email,
    address: parts.addressOf(request),
    knownBrowser: parts.knownBrowsers.recognise(email, request.headers.cookie),
  });
  if (!admission.isAdmitted) {
    response.setHeader('retry-after', admission.retryAfterSeconds);
    return askToSignIn(call, details, {
      status: 429,
      email,
      problem: tooMany(admission.retryAfterSeconds),
    });
  }
  // No valid address or password is this long; hashing it would waste CPU.
  const isTooLong = email.length > MAX_EMAIL_LENGTH || password.length > MAX_PASSWORD_LENGTH;
  const members = isTooLong ? [] : await parts.people.verifyPassword(email, new Secret(password));
  if (members.length === 0)
    return askToSignIn(call, details, { status: 401, email, problem: WRONG_PASSWORD, isInputWrong: true });
  await admission.succeeded();
  response.append('set-cookie', parts.knownBrowsers.cookieFor(email));
  return continueAs(call, details, members);
};

/**
 * Continues as the one user in `members` whose account the application may act in; with several, asks for the account. `members` are the
 * person's authenticated users.
 */
export async function continueAs(
  call: PageCall,
  details: InteractionDetails,
  members: readonly Member[],
): Promise<RenderedPage | undefined> {
  const active = activeMembers(members);
  if (active.length === 0) return askToSignIn(call, details, { status: 403, problem: NOT_ACTIVE });
  const usable = active.filter(({ account }) => worksFor(details, account.id));
  const [first, second] = usable;
  if (first === undefined) return askToSignIn(call, details, { status: 403, problem: OTHER_ACCOUNT });
  if (second === undefined) return finishAs(call, first);
  return askForAccount(call, details, usable, false);
}

async function finishAs(
  { parts, exchange, request, response }: PageCall,
  { account, user }: Member,
): Promise<undefined> {
  // For the log only.
  exchange.accountId = account.id;
  exchange.userId = user.id;
  await parts.interactions.finishLogin(request, response, user.id);
}

/** Whether the application may act in that account. */
export function worksFor({ client }: InteractionDetails, accountId: string): boolean {
  return client.accountId === undefined || client.accountId === accountId;
}

/** Continues in the chosen account. */
export const chooseAccount: ShowPage = async (call) => {
  const { parts } = call;
  const details = await interactionOf(call);
  const form = await formOf(call, details);
  if (form === undefined) return askToSignIn(call, details, { status: 403, problem: STALE_FORM });
  const userIds = parts.tickets.read(details.id, form.get('ticket') ?? '');
  if (userIds.length === 0) return askToSignIn(call, details, { status: 403, problem: STALE_FORM });
  // Looked up again, because the user may have been deactivated meanwhile.
  const members = activeMembers(
    (await Promise.all(userIds.map((userId) => parts.people.findMembershipsOf(userId)))).flat(),
  );
  const chosen = members.find(({ user }) => user.id === form.get('user_id'));
  if (chosen === undefined) return askForAccount(call, details, members, true);
  return finishAs(call, chosen);
};

function askForAccount(
  call: PageCall,
  details: InteractionDetails,
  members: readonly Member[],
  isChoiceMissing: boolean,
): RenderedPage {
  return accountPage({
    details,
    formToken: formTokenOf(call, details),
    ticket: call.parts.tickets.issue(
      details.id,
      members.map(({ user }) => user.id),
    ),
    members,
    isChoiceMissing,
  });
}
