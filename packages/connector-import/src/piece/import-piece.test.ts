import type { JsonObject } from '@fairlead/connector-model/json';
import { describe, expect, it } from 'vitest';
import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { runImport } from '../run-import.ts';

const job = { kind: 'piece', slug: 'acme', package: 'acme-piece', version: '1.2.3' } as const;

function action(name: string, members: JsonObject = {}): JsonObject {
  return { name, displayName: name, description: `Runs ${name}.`, props: {}, audience: 'both', ...members };
}

function imported(described: JsonObject) {
  const { answer, application } = runImport(job, Buffer.from(JSON.stringify(described)));
  return {
    answer,
    skipped: answer.kind === 'imported' ? answer.skipped : [],
    connector: application && parseConnector(application),
  };
}

const head = { piece: { displayName: 'Acme', description: 'A vendor.' }, auth: [], triggers: [] };

describe('a piece becomes an application', () => {
  it('whose tools are its actions, as the piece classifies them', () => {
    const { connector, skipped } = imported({
      ...head,
      actions: [
        action('listItems', {
          classification: 'SEARCH',
          aiMetadata: { description: 'Lists items.', idempotent: true },
        }),
        action('set_name', { classification: 'WRITE', aiMetadata: { idempotent: true } }),
        action('delete-item', { classification: 'DESTRUCTIVE' }),
        action('old', { audience: 'human' }),
        action('custom_api_call'),
      ],
      triggers: [{ name: 'new_item', type: 'POLLING' }],
    });
    expect(connector).toMatchObject({
      slug: 'acme',
      name: 'Acme',
      kind: 'Regular',
      maturity: 'generated',
      version: '1.2.3',
    });
    expect(connector?.tools).toMatchObject([
      { toolSlug: 'list-items', description: 'Lists items.', retryClass: 'readOnly', isDestructive: false },
      { toolSlug: 'set-name', description: 'Runs set_name.', retryClass: 'idempotent', isDestructive: false },
      { toolSlug: 'delete-item', retryClass: 'unsafe', isDestructive: true },
    ]);
    expect(connector?.tools[0]?.execution).toEqual({
      type: 'package',
      package: 'acme-piece',
      version: '1.2.3',
      action: 'listItems',
    });
    expect(skipped.map(({ operationId }) => operationId)).toEqual(['old', 'custom_api_call', 'new_item']);
  });

  it('whose inputs are the properties', () => {
    const choice = { options: { options: [{ label: 'One', value: '1' }] } };
    const prop = (type: string, members: JsonObject = {}): JsonObject => ({
      type,
      displayName: 'Name',
      required: false,
      ...members,
    });
    const { connector } = imported({
      ...head,
      actions: [
        action('do', {
          props: {
            text: prop('SHORT_TEXT', { required: true, description: 'A text.' }),
            number: prop('NUMBER', { required: true, defaultValue: 3 }),
            flag: prop('CHECKBOX'),
            time: prop('DATE_TIME'),
            one: prop('STATIC_DROPDOWN', choice),
            many: prop('STATIC_MULTI_SELECT_DROPDOWN', choice),
            vendors: prop('DROPDOWN'),
            open: prop('DYNAMIC'),
            rows: prop('ARRAY', { properties: { a: prop('SHORT_TEXT') } }),
            json: prop('JSON'),
            doc: prop('FILE'),
            note: prop('MARKDOWN'),
          },
          outputSchema: { fields: [{ key: 'item', label: 'Item', children: [{ key: 'id', label: 'Id' }] }] },
        }),
      ],
    });
    const { inputSchema, outputSchema } = connector?.tools[0] ?? {};
    const oneOf = [{ const: '1', title: 'One' }];
    expect(inputSchema).toMatchObject({
      required: ['text'],
      properties: {
        text: { type: 'string', description: 'A text.' },
        number: { type: 'number', default: 3 },
        flag: { type: 'boolean' },
        time: { type: 'string', format: 'date-time' },
        one: { oneOf },
        many: { type: 'array', items: { oneOf } },
        open: { type: 'object' },
        rows: { type: 'array', items: { properties: { a: { type: 'string' } } } },
        doc: { type: 'object', format: 'file' },
      },
    });
    expect(inputSchema?.['properties']).toMatchObject({
      vendors: { title: 'Name' },
      json: { title: 'Name' },
    });
    expect(inputSchema?.['properties']).not.toHaveProperty('note');
    expect(outputSchema).toEqual({
      type: 'object',
      properties: { item: { description: 'Item', properties: { id: { description: 'Id' } } } },
    });
  });

  it('whose sign-ins keep their positions; the first that needs no client is the default', () => {
    const region = {
      type: 'STATIC_DROPDOWN',
      displayName: 'Region',
      required: true,
      options: {
        options: [
          { label: 'US', value: 'us' },
          { label: 'EU', value: 'eu' },
        ],
      },
    };
    const { connector, skipped } = imported({
      ...head,
      auth: [
        {
          type: 'OAUTH2',
          displayName: 'Sign in',
          authUrl: 'https://{region}.acme.com/authorize?user_scope=a',
          tokenUrl: 'https://{region}.acme.com/token',
          scope: ['read'],
          extra: { owner: 'user' },
          pkce: true,
          authorizationMethod: 'HEADER',
          props: { region },
        },
        { type: 'UNKNOWN' },
        {
          type: 'CUSTOM_AUTH',
          displayName: 'Key',
          props: { key: { type: 'SECRET_TEXT', displayName: 'Key', required: true } },
        },
        { type: 'SECRET_TEXT', displayName: 'Token' },
        { type: 'BASIC_AUTH', username: { displayName: 'User' }, password: { displayName: 'Password' } },
      ],
      actions: [action('do')],
    });
    const methods = connector?.authenticationMethods ?? [];
    expect(methods.map(({ authenticationId, isDefault }) => [authenticationId, isDefault])).toEqual([
      [0, false],
      [2, true],
      [3, false],
      [4, false],
    ]);
    expect(methods[0]).toMatchObject({
      fields: [
        { name: 'clientId', providerSlot: 'Key1' },
        { name: 'clientSecret', providerSlot: 'Key2' },
        { name: 'region', type: 'select', atSignIn: true },
      ],
      scheme: {
        authorizationUrl: 'https://{{field.region}}.acme.com/authorize',
        tokenUrl: 'https://{{field.region}}.acme.com/token',
        authorizationParameters: { user_scope: 'a', owner: 'user' },
        clientAuthentication: 'basic',
        usesPkce: true,
        scopes: ['read'],
      },
    });
    expect(
      methods.slice(1).map(({ fields }) => fields.map(({ name, isPassword }) => [name, isPassword])),
    ).toEqual([
      [['key', true]],
      [['secret', true]],
      [
        ['username', false],
        ['password', true],
      ],
    ]);
    expect(skipped).toMatchObject([{ operationId: 'sign-in 2' }]);
  });
});

describe('a description that a hostile package wrote', () => {
  it.each([
    ['is empty', {}, 'has no action'],
    [
      'has no usable sign-in',
      { ...head, auth: [{ type: 'X' }], actions: [action('do')] },
      'authenticationMethods',
    ],
    [
      'sends the client’s secret anywhere',
      {
        ...head,
        auth: [
          {
            type: 'OAUTH2',
            authUrl: 'https://a.test/',
            tokenUrl: 'https://{h}/',
            props: { h: { type: 'SHORT_TEXT', required: true } },
          },
        ],
        actions: [action('do')],
      },
      'can lead it to any host',
    ],
  ])('%s is refused, naming the package', (_name, described, text) => {
    const { answer } = imported(described);
    expect(answer).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(answer)).toContain(text);
  });

  it('names other code in no tool', () => {
    const { connector } = imported({
      ...head,
      actions: [action('do', { execution: { type: 'handler', handler: 'x' }, package: 'other' })],
    });
    expect(connector?.tools[0]?.execution).toMatchObject({ type: 'package', package: 'acme-piece' });
  });
});
