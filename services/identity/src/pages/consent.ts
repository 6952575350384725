import type { RenderedPage } from '@fairlead/pages/html';
import type { Member } from '../domain/records.ts';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { interactionPath } from '../oauth/interactions.ts';
import { consentPage } from './consent.page.ts';
import { askToSignIn, formOf, formTokenOf, interactionOf, worksFor } from './login.ts';
import { activeMembers } from './members.ts';
import { redirect } from './page-call.ts';
import type { PageCall, ShowPage } from './page-call.ts';
import { NOT_ACTIVE, OTHER_ACCOUNT } from './problems.ts';
import { grantedScopes } from './consent-scopes.ts';

/** Shows the page that is due: sign-in or consent. */
export const showInteraction: ShowPage = async (call) => {
  const details = await interactionOf(call);
  return details.prompt === 'login' ? askToSignIn(call, details) : askForConsent(call, details);
};

async function askForConsent(call: PageCall, details: InteractionDetails): Promise<RenderedPage> {
  const member = await signedIn(call, details);
  if (member === undefined) return askToSignIn(call, details, { status: 403, problem: NOT_ACTIVE });
  if (!worksFor(details, member.account.id))
    return askToSignIn(call, details, { status: 403, problem: OTHER_ACCOUNT });
  return consentPage({ details, formToken: formTokenOf(call, details), member });
}

async function signedIn({ parts }: PageCall, { userId }: InteractionDetails): Promise<Member | undefined> {
  if (userId === undefined) return undefined;
  const [member] = activeMembers(await parts.people.findMembershipsOf(userId));
  return member;
}

/** Grants the scopes that the page showed. */
export const allow: ShowPage = async (call) => {
  const { parts, exchange, request, response } = call;
  const details = await interactionOf(call);
  const form = await formOf(call, details);
  const member = await signedIn(call, details);
  // Consent applies only to the user and account that the page showed. A stale tab gets the current page instead.
  const isDue = details.prompt === 'consent' && member !== undefined && worksFor(details, member.account.id);
  if (form === undefined || !isDue || form.get('user_id') !== member.user.id)
    return redirect(call, interactionPath(details.id));
  await parts.interactions.finishConsent(exchange, request, response, {
    accountId: member.account.id,
    scopes: grantedScopes(details.scopes, member),
  });
  return undefined;
};

/** Reports to the application that the person denied access. */
export const deny: ShowPage = async (call) => {
  const { parts, request, response } = call;
  const details = await interactionOf(call);
  if ((await formOf(call, details)) === undefined) return redirect(call, interactionPath(details.id));
  await parts.interactions.deny(request, response);
  return undefined;
};
