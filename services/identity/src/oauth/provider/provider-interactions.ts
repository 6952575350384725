import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@fairlead/service-kit/clock';
import { errors } from 'oidc-provider';
import type { Client, InteractionResults, Provider } from 'oidc-provider';
import type { Member } from '../../domain/records.ts';
import type { Scope } from '@fairlead/access/permissions';
import { accountOfClient, describeClient, scopesOfClient } from '../clients/client-kinds.ts';
import { ConsentError, InteractionGoneError } from '../interactions.ts';
import type { Consent, InteractionDetails, Interactions } from '../interactions.ts';
import type { Resources } from '@fairlead/access/resources';
import { parseScopes } from '@fairlead/access/scopes';
import { asUnavailable } from './unavailable.ts';
export interface InteractionsDeps {
  /** The current provider, which is replaced when the keys change. */
  readonly provider: () => Provider;
  /** Converts the request for the provider. */
  readonly requestFor: (request: IncomingMessage) => IncomingMessage;
  readonly findActiveMember: (userId: string) => Promise<Member | undefined>;
  readonly resources: Resources;
  readonly clock: Clock;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The interactions of the library's authorization server. */
export function createInteractions(deps: InteractionsDeps): Interactions {
  const interactions = interactionsOf(deps);
  const orUnavailableError = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw asUnavailable(error);
    }
  };
  return {
    find: (...args) => orUnavailableError(interactions.find(...args)),
    finishLogin: (...args) => orUnavailableError(interactions.finishLogin(...args)),
    finishConsent: (...args) => orUnavailableError(interactions.finishConsent(...args)),
    deny: (...args) => orUnavailableError(interactions.deny(...args)),
    signedInUser: (...args) => orUnavailableError(interactions.signedInUser(...args)),
    signOut: (...args) => orUnavailableError(interactions.signOut(...args)),
  };
}

function interactionsOf(deps: InteractionsDeps): Interactions {
  const { provider, requestFor, findActiveMember } = deps;

  async function load(request: IncomingMessage, response: ServerResponse): Promise<Interaction | undefined> {
    try {
      return await provider().interactionDetails(requestFor(request), response);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  async function clientOf(interaction: Interaction): Promise<Client | undefined> {
    const { client_id: clientId } = interaction.params;
    try {
      return typeof clientId === 'string' ? await provider().Client.find(clientId) : undefined;
    } catch (error) {
      // The client's document is no longer available.
      if (error instanceof errors.OIDCProviderError && error.statusCode === 400) return undefined;
      throw error;
    }
  }

  async function open(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly interaction: Interaction; readonly client: Client }> {
    const interaction = await load(request, response);
    const client = interaction && (await clientOf(interaction));
    if (interaction === undefined || client === undefined) throw new InteractionGoneError();
    return { interaction, client };
  }

  async function finish(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResults,
  ): Promise<void> {
    // Earlier results, such as the login, stay part of the interaction.
    await provider().interactionFinished(requestFor(request), response, result);
  }

  const sessionOf = (request: IncomingMessage, response: ServerResponse) =>
    provider().Session.get(provider().createContext(requestFor(request), response));

  return {
    async find(request, response) {
      const interaction = await load(request, response);
      const client = interaction && (await clientOf(interaction));
      return client && interaction && detailsOf(interaction, client, deps.resources);
    },

    async finishLogin(request, response, userId) {
      const { interaction } = await open(request, response);
      if (interaction.session !== undefined && interaction.session.accountId !== userId) {
        // Ends the session first: the library would ask the old user to sign out, but the new user has just authenticated.
        const session = await sessionOf(request, response);
        await session.destroy();
        delete interaction.session;
        await interaction.persist();
      }
      // The time of authentication, because sign-ins may be ended before the next request.
      const ts = Math.floor(deps.clock.now().getTime() / 1000);
      await finish(request, response, { login: { accountId: userId, ts } });
    },

    async finishConsent(exchange, request, response, consent) {
      const { interaction, client } = await open(request, response);
      const userId = interaction.session?.accountId;
      if (interaction.prompt.name !== 'consent' || userId === undefined) throw new InteractionGoneError();
      const scopes = scopesAsked(interaction, client);
      const granted = scopes.filter((scope) => consent.scopes.includes(scope));
      if (granted.length === 0)
        throw new ConsentError('The application requested none of these permissions.');
      checkAccount(consent, client, await findActiveMember(userId));

      const { Grant } = provider();
      const grant = new Grant({ accountId: userId, clientId: client.clientId });
      for (const resource of resourcesOf(interaction)) {
        grant.addResourceScope(resource, [...granted]);
        const refused = scopes.filter((scope) => !granted.includes(scope));
        // Marks the refused scopes as handled, so that the library does not ask for them again.
        if (refused.length > 0) grant.rejectResourceScope(resource, refused);
      }
      const openid = textOf(interaction, 'scope')?.split(' ') ?? [];
      grant.addOIDCScope(openid.filter((scope) => scope === 'openid' || scope === 'offline_access'));
      // Stores the grant together with its audit event.
      const grantId = await grant.save();
      exchange.accountId = consent.accountId;
      exchange.userId = userId;
      await finish(request, response, { consent: { grantId } });
    },

    async deny(request, response) {
      await open(request, response);
      await finish(request, response, {
        error: 'access_denied',
        error_description: 'the user did not consent',
      });
    },

    async signedInUser(request, response) {
      const { accountId: userId } = await sessionOf(request, response);
      return userId;
    },

    async signOut(request, response) {
      const context = provider().createContext(requestFor(request), response);
      const session = await provider().Session.get(context);
      if (session.accountId !== undefined) await session.destroy();
      const name = provider().cookieName('session');
      context.cookies.set(name, null, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: name.startsWith('__Host-'),
        signed: true,
      });
    },
  };
}

function checkAccount({ accountId }: Consent, client: Client, member: Member | undefined): void {
  if (member?.account.id !== accountId) throw new ConsentError('You are not active in this account.');
  const only = accountOfClient(client);
  if (only !== undefined && only !== accountId) {
    throw new ConsentError('This application belongs to another account.');
  }
}

function detailsOf(
  interaction: Interaction,
  client: Client,
  resources: Resources,
): InteractionDetails | undefined {
  const { prompt, session, deviceCode } = interaction;
  if (prompt.name !== 'login' && prompt.name !== 'consent') return undefined;
  const redirectUri = deviceCode === undefined ? textOf(interaction, 'redirect_uri') : undefined;
  return {
    id: interaction.uid,
    prompt: prompt.name,
    client: describeClient(client),
    redirectUri: redirectUri === undefined ? undefined : new URL(redirectUri),
    scopes: scopesAsked(interaction, client),
    resource: resourcesOf(interaction)[0] ?? resources.api,
    userId: session?.accountId,
    loginHint: textOf(interaction, 'login_hint'),
  };
}

function scopesAsked(interaction: Interaction, client: Client): readonly Scope[] {
  const allowed = scopesOfClient(client);
  return parseScopes(textOf(interaction, 'scope')).filter((scope) => allowed.includes(scope));
}

/** One resource or several; the library sets the default if the request names none. */
function resourcesOf({ params }: Interaction): readonly string[] {
  return [params['resource']].flat().filter((resource) => typeof resource === 'string');
}

function textOf({ params }: Interaction, name: string): string | undefined {
  const value = params[name];
  return typeof value === 'string' ? value : undefined;
}
