import type { InteractionDetails } from '../../oauth/interactions.ts';

/** An application that registered itself and asks who the person is, but for what is given. */
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
