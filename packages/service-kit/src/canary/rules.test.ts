import { describe, expect, it } from 'vitest';
import { digestOfRule, parseCanaryRules } from './rules.ts';

const rule = { mode: 'gateway', weight: 10, accounts: ['acc_1'], headers: ['key_1', 'operator'], salt: 'f' };
const route = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GRPCRoute',
  namespace: 'ns',
  name: 'f-tools',
};

function textOf(tools: object): string {
  return JSON.stringify({ services: { tools } });
}

describe('rules.json', () => {
  it('is read by service', () => {
    expect(parseCanaryRules(textOf(rule))).toEqual(new Map([['tools', rule]]));
    expect(parseCanaryRules(textOf({ ...rule, mode: 'route', route })).get('tools')).toMatchObject({ route });
    expect(parseCanaryRules('{"services":{}}').size).toBe(0);
  });

  it('needs neither accounts nor headers nor an image', () => {
    const { accounts: _accounts, headers: _headers, ...least } = rule;
    expect(parseCanaryRules(textOf(least)).get('tools')).toEqual({ ...least, accounts: [], headers: [] });
  });

  it.each([
    ['a text that is not JSON', '{', 'rules.json is not JSON'],
    ['an unknown service', '{"services":{"tolls":{}}}', 'services.tolls: is not known'],
    ['an unknown member', textOf({ ...rule, wait: 1 }), 'services.tools.wait: is not known'],
    ['a member beside the services', '{"services":{},"salt":"f"}', 'salt: is not known'],
    ['a weight above 100', textOf({ ...rule, weight: 101 }), 'services.tools.weight: '],
    ['a weight below 0', textOf({ ...rule, weight: -1 }), 'services.tools.weight: '],
    ['a weight that is no number', textOf({ ...rule, weight: '10' }), 'services.tools.weight: '],
    ['a credential that is no API key', textOf({ ...rule, headers: ['bob'] }), 'services.tools.headers.0: '],
    ['an unknown mode', textOf({ ...rule, mode: 'mesh' }), 'services.tools.mode: '],
    ['a route in mode gateway', textOf({ ...rule, route }), 'services.tools.route: is not known'],
    ['mode route without a route', textOf({ ...rule, mode: 'route' }), 'services.tools.route: '],
    ['no salt', textOf({ ...rule, salt: '' }), 'services.tools.salt: '],
    ['no services', '{}', 'services: '],
  ])('with %s is refused, and the member named', (_case, text, message) => {
    expect(() => parseCanaryRules(text)).toThrow(message);
  });
});

describe('the digest of a rule', () => {
  const digestOf = (tools: object): string => {
    const parsed = parseCanaryRules(textOf(tools)).get('tools');
    if (parsed === undefined) throw new Error('no rule');
    return digestOfRule(parsed);
  };

  it('is the same for the same content, however it is written', () => {
    expect(digestOf(rule)).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf(Object.fromEntries(Object.entries(rule).toReversed()))).toBe(digestOf(rule));
  });

  it('differs if any member differs', () => {
    const others = [{ weight: 11 }, { accounts: [] }, { salt: 'g' }, { image: '0.2.0' }];
    const digests = [rule, ...others.map((other) => ({ ...rule, ...other }))].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });
});
