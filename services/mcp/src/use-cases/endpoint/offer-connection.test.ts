import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { interactiveChannel, unaryChannel } from '../../testing/clients.ts';
import { offerConnection } from './offer-connection.ts';

async function offer(channel: Parameters<typeof offerConnection>[2]): Promise<string> {
  const need = {
    url: 'https://fairlead.example/own/u1/crm/0',
    message: 'Connect crm.',
    reason: 'You have no connection of your own to crm.',
    errorCode: 'NO_DEFAULT_CONNECTION',
    elicitationId: '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
  };
  return jsonText(await offerConnection(testContext(), need, channel));
}

test('a client that declared URL elicitation gets the error that demands it', async () => {
  const channel = unaryChannel({ capabilities: { elicitation: { url: {} } } });
  await expect(offer(channel)).rejects.toMatchObject({
    code: -32_042,
    data: {
      elicitations: [
        {
          mode: 'url',
          url: 'https://fairlead.example/own/u1/crm/0',
          elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        },
      ],
    },
  });
});

test.each([{}, { elicitation: {} }, { elicitation: { form: {} } }])(
  'another client gets the link in a result: %j',
  async (capabilities) => {
    for (const channel of [unaryChannel({ capabilities }), interactiveChannel({ capabilities }).channel]) {
      const text = await offer(channel);
      expect(text).toContain('"isError":true');
      expect(text).toContain('NO_DEFAULT_CONNECTION: You have no connection of your own to crm.');
      expect(text).toContain('"dev.fairlead/connectUrl":"https://fairlead.example/own/u1/crm/0"');
    }
  },
);

test('a client without a handshake that declared URL elicitation is asked in its result', async () => {
  const channel = unaryChannel({ isStateless: true, capabilities: { elicitation: { url: {} } } });
  await expect(offer(channel)).rejects.toMatchObject({
    name: 'InputRequired',
    question: { name: 'connect', params: { mode: 'url', url: 'https://fairlead.example/own/u1/crm/0' } },
  });
});
