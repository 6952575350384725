import { describe, expect, test } from 'vitest';
import { field, oauthMethod, openedProvider } from '../testing/builders.ts';
import { checkProviderName, requireSlots, showProvider, slotChanges } from './auth-provider.ts';

const method = oauthMethod({
  fields: [
    field('clientId', { label: 'Client id', isRequired: true, providerSlot: 'Key1' }),
    field('clientSecret', { label: 'Secret', isRequired: true, isPassword: true, providerSlot: 'Key2' }),
    field('workspace'),
  ],
});

describe('a name', () => {
  test.each(['Ours', 'None', '12a', '\u{1F511}'.repeat(200)])('may be %s', (name) => {
    expect(() => checkProviderName(name)).not.toThrow();
  });
  test.each([
    ['none', 'INVALID_AUTH_PROVIDER'],
    ['007', 'INVALID_AUTH_PROVIDER'],
    ['', 'VALIDATION_ERROR'],
    ['  ', 'VALIDATION_ERROR'],
    ['x'.repeat(201), 'VALIDATION_ERROR'],
  ])('may not be %j', (name, code) => {
    expect(() => checkProviderName(name)).toThrow(expect.objectContaining({ code }));
  });
});

describe('values by slot', () => {
  test('are split into plain, secret and cleared ones', () => {
    expect(slotChanges(method, { Key1: 'id', Key2: 's' })).toEqual({
      plain: { Key1: 'id' },
      secret: { Key2: 's' },
      cleared: [],
    });
    expect(slotChanges(method, { Key2: '' })).toEqual({ plain: {}, secret: {}, cleared: ['Key2'] });
  });

  test('are what their fields may have: GitLab takes any address, GitHub Enterprise Cloud those below ghe.com', () => {
    const addressed = (allowedHosts: string[]) =>
      oauthMethod({ fields: [field('address', { providerSlot: 'BaseUrl', allowedHosts })] });
    const own = { BaseUrl: 'https://acme.ghe.com' };
    expect(slotChanges(addressed(['*']), own).plain).toEqual(own);
    expect(slotChanges(addressed(['.ghe.com']), own).plain).toEqual(own);
    for (const BaseUrl of [
      'https://evil.com#.ghe.com',
      'https://a.ghe.com@evil.com',
      'javascript:alert(1)',
    ]) {
      for (const allowedHosts of [['*'], ['.ghe.com']]) {
        expect(() => slotChanges(addressed(allowedHosts), { BaseUrl })).toThrow(
          expect.objectContaining({
            code: 'VALIDATION_ERROR',
            details: [expect.objectContaining({ field: 'values.BaseUrl' })],
          }),
        );
      }
    }
  });

  test.each(['Key3', 'workspace', '__proto__', 'Key1 '])('have no slot %s', (slot) => {
    const values = Object.fromEntries([[slot, 'x']]);
    expect(() => slotChanges(method, values)).toThrow(
      expect.objectContaining({
        code: 'INVALID_AUTH_PROVIDER',
        details: [expect.objectContaining({ field: `values.${slot}` })],
      }),
    );
  });

  test('are required where their fields are', () => {
    expect(() => requireSlots(method, () => true)).not.toThrow();
    expect(() => requireSlots(method, ({ slot }) => slot === 'Key1')).toThrow('Key2 (Secret)');
  });
});

describe('a provider as it is shown', () => {
  test('has every slot of its method, and no secret', () => {
    expect(showProvider(openedProvider().provider, method).slots).toEqual([
      { slot: 'Key1', label: 'Client id', isSecret: false, hasValue: true, value: 'provider-id' },
      { slot: 'Key2', label: 'Secret', isSecret: true, hasValue: true, value: null },
    ]);
  });

  test('does not show a value whose slot has become secret, nor any once its method is gone', () => {
    const leaked = openedProvider({ values: { Key1: 'id', Key2: 'was plain' } }, {}).provider;
    for (const known of [method, undefined]) {
      const [, secret] = showProvider(leaked, known).slots;
      expect(secret).toMatchObject({ slot: 'Key2', hasValue: true, value: null });
    }
  });
});
