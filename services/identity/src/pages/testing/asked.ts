import type { InteractionDetails } from '../../oauth/interactions.ts';

/** A self-registered application at the login prompt, with the given changes. */
export function testInteraction(
  o: Partial<Omit<InteractionDetails, 'client'>> & {
    readonly client?: Partial<InteractionDetails['client']>;
  } = {},
): InteractionDetails {
  return {
    id: 'int_1',
    prompt: 'login',
    redirectUri: new URL('https://app.example/callback'),
    scopes: ['connections.read', 'tools.execute'],
    resource: 'https://fairlead.example',
    userId: undefined,
    loginHint: undefined,
    ...o,
    client: {
      id: 'client_1',
      name: 'Acme Assistant',
      kind: 'registered',
      host: undefined,
      accountId: undefined,
      ...o.client,
    },
  };
}
