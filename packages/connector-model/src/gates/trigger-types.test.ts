import { describe, expect, it } from 'vitest';
import { compiled, problemsOf, thingCreated } from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

const polled = {
  slug: 'acme-thing-listed',
  name: 'Thing created',
  description: 'Fires for every new thing.',
  kind: 'poll',
  configSchema: {
    type: 'object',
    properties: { everySeconds: { type: 'integer', minimum: 10, default: 60 }, colour: { type: 'string' } },
  },
  poll: {
    request: { url: '/things', query: { since: '{{cursor.since}}', colour: '{{input.colour}}' } },
    paging: { type: 'offset', topQuery: 'top', offsetQuery: 'offset' },
    itemsPointer: '/items',
    idPointer: '/id',
    timePointer: '/at',
    newest: { url: '/things', query: { order: 'desc' } },
  },
};

const triggers = (...triggerTypes: readonly Members[]): Members => ({ triggerTypes });
const poll = (members: Members): Members => triggers({ ...polled, poll: { ...polled.poll, ...members } });
const webhook = (members: Members): Members =>
  triggers({ ...thingCreated, webhook: { ...thingCreated.webhook, ...members } });

describe('trigger types', () => {
  it('compile with their recipes, the defaults filled in', () => {
    const { triggerTypes } = compiled({
      ...triggers(polled, thingCreated),
      headers: { 'x-version': '2' },
    });
    expect(triggerTypes).toMatchObject([
      {
        poll: {
          overlapSeconds: 60,
          request: { method: 'GET', headers: { 'x-version': '2' } },
          newest: { headers: { 'x-version': '2' } },
        },
        webhook: null,
      },
      {
        poll: null,
        webhook: {
          list: { paging: null },
          remove: { request: { headers: { 'x-version': '2' } } },
          signature: { header: 'x-signature', prefix: '', encoding: 'hex', timestampHeader: null },
          payloadPointer: '',
        },
      },
    ]);
  });

  it.each<[guarantee: string, members: Members, path: string, message: RegExp]>([
    ['a poll without a recipe', triggers({ ...polled, poll: null }), 'triggerTypes[0].poll', /required/],
    [
      'a poll that needs no connection',
      triggers({ ...polled, requiresConnection: false }),
      'triggerTypes[0].requiresConnection',
      /must be true/,
    ],
    [
      'a webhook without a recipe',
      triggers({ ...thingCreated, webhook: null }),
      'triggerTypes[0].webhook',
      /required/,
    ],
    [
      'a recipe of another kind',
      triggers({ ...polled, webhook: thingCreated.webhook }),
      'triggerTypes[0].webhook',
      /allowed for no other/,
    ],
    [
      'a poll without a period',
      triggers({
        ...polled,
        configSchema: { type: 'object', properties: { colour: { type: 'string' } } },
      }),
      'triggerTypes[0].configSchema',
      /everySeconds/,
    ],
    [
      'a poll that starts nowhere',
      poll({ request: { url: '/things', query: { colour: '{{input.colour}}' } } }),
      'triggerTypes[0].poll.request',
      /cursor\.since/,
    ],
    [
      'a poll by page numbers',
      poll({ paging: { type: 'page', sizeQuery: 's', pageQuery: 'p' } }),
      'triggerTypes[0].poll.paging.type',
      /Invalid/,
    ],
    [
      'a cursor where the newest is asked for',
      poll({ newest: { url: '/things?since={{cursor.since}}' } }),
      'triggerTypes[0].poll.newest.url',
      /cursor\.since.* not known/,
    ],
    [
      'a configuration that nothing uses',
      poll({ request: { url: '/things?since={{cursor.since}}' } }),
      'triggerTypes[0].configSchema.properties.colour',
      /no request/,
    ],
    [
      'a registration without a secret',
      webhook({
        register: {
          ...thingCreated.webhook.register,
          request: { method: 'POST', url: '/hooks', body: { to: '{{webhook.url}}' } },
        },
      }),
      'triggerTypes[0].webhook.register.request',
      /webhook\.secret/,
    ],
    [
      'a removal of nothing in particular',
      webhook({ remove: { request: { method: 'DELETE', url: '/hooks' } } }),
      'triggerTypes[0].webhook.remove.request',
      /webhook\.id/,
    ],
    [
      'a secret outside the registration',
      webhook({ list: { ...thingCreated.webhook.list, request: { url: '/hooks?key={{webhook.secret}}' } } }),
      'triggerTypes[0].webhook.list.request.url',
      /not known/,
    ],
    [
      'a host that a field decides',
      {
        ...poll({ newest: { url: 'https://{{field.host}}/things' } }),
        kind: 'Regular',
        authenticationMethods: [
          {
            authenticationId: 0,
            authenticationName: 'OAuth',
            isDefault: true,
            fields: [{ name: 'host', label: 'Host', description: 'Host.', isRequired: true }],
            scheme: {
              type: 'oauth2',
              grant: 'clientCredentials',
              tokenUrl: 'https://a.test/token',
              clientIdField: 'host',
              clientSecretField: 'host',
            },
          },
        ],
      },
      'triggerTypes[0].poll.newest.url',
      /any host/,
    ],
  ])('are refused with %s', (_guarantee, members, path, message) => {
    const found = problemsOf(members).filter((problem) => problem.path === path);
    expect(found.map((problem) => problem.message).join('\n')).toMatch(message);
  });
});
