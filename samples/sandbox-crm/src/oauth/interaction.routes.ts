import express from 'express';
import type { Request, Response, Router } from 'express';
import { errors } from 'oidc-provider';
import type { Interaction, Provider } from 'oidc-provider';
import { isPerson, NO_MATCH, signInForm } from '../domain/sign-in-form.ts';
import { consentPage } from '../pages/consent.page.ts';
import { pageHeaders } from '../pages/layout.ts';
import { messagePage } from '../pages/message.page.ts';
import { signInPage } from '../pages/sign-in.page.ts';
import { ACCOUNT_ID } from './provider.ts';
import { scopeDescriptions } from './scopes.ts';

/** The sign-in and consent pages below `/interaction`, plain forms that need no script. */
export function interactionRoutes(provider: Provider, user: { email: string; password: string }): Router {
  const router = express.Router();
  router.use(express.urlencoded({ extended: false, limit: '16kb' }));

  router.get('/:uid', async (req, res) => {
    const interaction = await provider.interactionDetails(req, res);
    await showPrompt(provider, user.email, interaction, res);
  });

  router.post('/:uid/sign-in', async (req, res) => {
    const interaction = await provider.interactionDetails(req, res);
    const form = signInForm.parse(req.body ?? {});
    if (!isPerson(form, user))
      return showSignIn(provider, interaction, res.status(401), { email: form.email, problem: NO_MATCH });
    return provider.interactionFinished(req, res, { login: { accountId: ACCOUNT_ID } });
  });

  router.post('/:uid/allow', async (req, res) => {
    const interaction = await provider.interactionDetails(req, res);
    // The form came out of order, for example from a stale tab: shows the page that is due, and grants nothing without a sign-in.
    if (interaction.prompt.name !== 'consent') return showPrompt(provider, user.email, interaction, res);
    // Each sign-in gets a grant of its own: revoking one connection of an application must not end its others.
    const grant = new provider.Grant({
      accountId: ACCOUNT_ID,
      clientId: String(interaction.params['client_id']),
    });
    grant.addOIDCScope(scopesOf(interaction).join(' '));
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  });

  router.post('/:uid/deny', async (req, res) => {
    const refusal = { error: 'access_denied', error_description: 'The person denied access.' };
    await provider.interactionFinished(req, res, refusal, { mergeWithLastSubmission: false });
  });

  router.use((error: unknown, _req: Request, res: Response, next: (error: unknown) => void) => {
    if (!(error instanceof errors.SessionNotFound)) return next(error);
    res.status(400).set(pageHeaders());
    return res
      .type('html')
      .send(
        messagePage('This sign-in has expired', [
          'It took too long, or it was finished in another tab.',
          'Go back to the application and start again.',
        ]),
      );
  });
  return router;
}

async function showPrompt(
  provider: Provider,
  email: string,
  interaction: Interaction,
  res: Response,
): Promise<void> {
  if (interaction.prompt.name !== 'consent') {
    const hint = interaction.params['login_hint'];
    return showSignIn(provider, interaction, res, {
      email: typeof hint === 'string' ? hint : '',
      problem: undefined,
    });
  }
  const permissions = scopesOf(interaction).flatMap((scope) => scopeDescriptions[scope] ?? []);
  const { clientName, redirectTo } = await applicationOf(provider, interaction);
  res.set(pageHeaders([redirectTo.origin])).type('html');
  res.send(
    consentPage({ uid: interaction.uid, clientName, email, redirectHost: redirectTo.host, permissions }),
  );
}

async function showSignIn(
  provider: Provider,
  interaction: Interaction,
  res: Response,
  form: { email: string; problem: string | undefined },
): Promise<void> {
  const { clientName, redirectTo } = await applicationOf(provider, interaction);
  res.set(pageHeaders([redirectTo.origin])).type('html');
  res.send(signInPage({ uid: interaction.uid, clientName, ...form }));
}

async function applicationOf(
  provider: Provider,
  interaction: Interaction,
): Promise<{ clientName: string; redirectTo: URL }> {
  const clientId = String(interaction.params['client_id']);
  const client = await provider.Client.find(clientId);
  return {
    clientName: client?.clientName ?? clientId,
    redirectTo: new URL(String(interaction.params['redirect_uri'])),
  };
}

function scopesOf(interaction: Interaction): readonly string[] {
  const scope = interaction.params['scope'];
  return typeof scope === 'string'
    ? scope.split(' ').filter((one) => Object.hasOwn(scopeDescriptions, one))
    : [];
}
