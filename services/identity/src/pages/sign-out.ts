import { readForm } from '@fairlead/service-kit/http/form';
import { signedOutPage } from './message.page.ts';
import type { ShowPage } from './page-call.ts';
import { signOutPage } from './sign-out.page.ts';

/** Asks whether to sign out, if a user is signed in. */
export const askToSignOut: ShowPage = async ({ parts, request, response }) => {
  const userId = await parts.interactions.signedInUser(request, response);
  return userId === undefined ? signedOutPage() : signOutPage(parts.keys.sign('sign-out', userId));
};

/** Signs out; asks again if the form did not come from the page. */
export const signOut: ShowPage = async (call) => {
  const { parts, request, response } = call;
  const userId = await parts.interactions.signedInUser(request, response);
  if (userId === undefined) return signedOutPage();
  const form = await readForm(call.exchange, call.request, call.parts.publicOrigin);
  if (!parts.keys.isSigned(form.get('form_token') ?? '', 'sign-out', userId))
    return signOutPage(parts.keys.sign('sign-out', userId));
  await parts.interactions.signOut(request, response);
  return signedOutPage();
};
