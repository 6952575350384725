import type { JsonObject } from '@fairlead/connector-model/json';
import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { describe, expect, test } from 'vitest';
import { connectorHead, field, oauth2Scheme, oauthMethod } from '../testing/builders.ts';
import {
  captureCallback,
  captureTokenResponse,
  checkSignInFields,
  mergeValues,
  openedValues,
  withSlotDefaults,
} from './sign-in-fields.ts';
import { NO_VALUES } from './credential.ts';

function methodOf(fields: readonly FieldDescriptor[], scheme: Parameters<typeof oauth2Scheme>[0] = {}) {
  const method = oauthMethod({ fields, scheme: oauth2Scheme(scheme) });
  return { head: connectorHead({ authenticationMethods: [method] }), method };
}

const zendesk = methodOf(
  [
    field('clientId', { isRequired: true, providerSlot: 'Key1' }),
    field('subdomain', { atSignIn: true, isRequired: true, pattern: '[a-z0-9-]{1,63}|.*[.@#].*' }),
    field('brand', {
      atSignIn: true,
      type: 'select',
      options: [{ value: 'a', label: 'A', translations: {} }],
    }),
    field('pin', { atSignIn: true, isPassword: true }),
  ],
  { authorizationUrl: 'https://{{field.subdomain}}.zendesk.com/oauth/authorizations/new' },
);

/** The refused fields among the values given at the start; with the code if it is not VALIDATION_ERROR. */
function refused(given: JsonObject): unknown {
  try {
    checkSignInFields(zendesk, given);
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { field: string }[] };
    const fields = details.map((each) => each.field);
    return code === 'VALIDATION_ERROR' ? fields : [code, ...fields];
  }
}

describe('what a sign-in starts with', () => {
  test('is kept, secret values apart', () => {
    const given = checkSignInFields(zendesk, { subdomain: 'acme', pin: '1234' });
    expect(given.plain).toEqual({ subdomain: 'acme' });
    expect(given.secret.reveal()).toEqual({ pin: '1234' });
  });

  test.each<[fault: string, given: JsonObject, fields: readonly string[]]>([
    ['a missing value', {}, ['fields.subdomain']],
    ['an empty value', { subdomain: '' }, ['fields.subdomain']],
    ['a null', { subdomain: null }, ['fields.subdomain']],
    ['another type', { subdomain: 7 }, ['fields.subdomain']],
    ['a value outside the pattern', { subdomain: 'ACME' }, ['fields.subdomain']],
    ['a value that no host has, whatever the pattern', { subdomain: 'evil.com#' }, ['fields.subdomain']],
    ['user information', { subdomain: 'a.b@evil.com' }, ['fields.subdomain']],
    ['a full stop of another script', { subdomain: 'acme.\u3002' }, ['fields.subdomain']],
    ['a value that is too long', { subdomain: 'acme', pin: 'x'.repeat(2_049) }, ['fields.pin']],
    ['an unknown name', { subdomain: 'acme', region: 'eu' }, ['fields.region']],
    ['a field that a provider holds', { subdomain: 'acme', clientId: 'x' }, ['fields.clientId']],
    [
      'a choice that is not offered',
      { subdomain: 'acme', brand: 'b' },
      ['INVALID_ENUM_VALUE', 'fields.brand'],
    ],
  ])('%s is refused by name', (_fault, given, fields) => {
    expect(refused(given)).toEqual(fields);
  });

  test('has the defaults of what a provider may hold, unless the client in use holds it: GitLab', () => {
    const { method } = methodOf([
      field('baseUrl', { providerSlot: 'BaseUrl', defaultValue: 'https://gitlab.com' }),
    ]);
    expect(withSlotDefaults(method, NO_VALUES, {}).plain).toEqual({ baseUrl: 'https://gitlab.com' });
    expect(withSlotDefaults(method, NO_VALUES, { baseUrl: 'https://git.acme.example' }).plain).toEqual({});
  });
});

describe('what the vendor sends', () => {
  const quickBooks = methodOf([
    field('realmId', {
      label: 'Company',
      isRequired: true,
      pattern: '[0-9]{1,20}',
      capturedFrom: { type: 'callback', parameter: 'realmId' },
    }),
  ]);
  const callback = (query: string) => captureCallback(quickBooks, new URLSearchParams(query));

  test('in the callback is kept: the company of QuickBooks', () => {
    expect(openedValues(callback('code=c&realmId=4620816365').values)).toEqual({ realmId: '4620816365' });
  });

  test.each([
    ['is missing', 'code=c', 'CRM did not send "Company"'],
    ['is empty', 'realmId=', 'CRM did not send "Company"'],
    ['is repeated', 'realmId=1&realmId=2', 'CRM did not send "Company"'],
    ['is outside the pattern', 'realmId=1%0d%0aHost:evil', 'CRM sent an invalid value for "Company"'],
  ])('in the callback is a fault if it %s', (_fault, query, fault) => {
    const { values, faults } = callback(query);
    expect(faults).toEqual([fault]);
    expect(openedValues(values)).toEqual({});
  });

  const salesforce = methodOf(
    [
      field('instanceUrl', {
        label: 'Instance',
        isRequired: true,
        allowedHosts: ['.salesforce.com', '.force.com'],
        capturedFrom: { type: 'tokenResponse', pointer: '/instance_url' },
      }),
      field('signature', {
        isPassword: true,
        capturedFrom: { type: 'tokenResponse', pointer: '/proof/signature' },
      }),
    ],
    {},
  );
  const salesforceApi = {
    ...salesforce,
    head: { ...salesforce.head, baseUrl: '{{field.instanceUrl}}/services/data/v61.0' },
  };

  test('in the token response is kept, secret values apart: the instance of Salesforce', () => {
    const response = { instance_url: 'https://acme.my.salesforce.com', proof: { signature: 7 } };
    const { values, faults } = captureTokenResponse(salesforceApi, response);
    expect(faults).toEqual([]);
    expect(values.plain).toEqual({ instanceUrl: 'https://acme.my.salesforce.com' });
    expect(values.secret.reveal()).toEqual({ signature: '7' });
  });

  test.each([
    'https://evil.com',
    'http://acme.my.salesforce.com',
    'https://acme.my.salesforce.com@evil.com',
    'https://evil.com#.salesforce.com',
    'https://acme.salesforce.com\r\nHost: evil.com',
    'http://169.254.169.254/latest',
    'acme.my.salesforce.com',
    { host: 'https://acme.my.salesforce.com' },
    'https://acme.salesforce.com/'.padEnd(2_049, 'x'),
  ])('in the token response is a fault outside of its hosts: %j', (value) => {
    const { values, faults } = captureTokenResponse(salesforceApi, { instance_url: value });
    expect(faults).toEqual(['CRM sent an invalid value for "Instance"']);
    expect(values.plain).toEqual({});
  });

  test('later takes the place of what it sent before', () => {
    const at = (url: string) => captureTokenResponse(salesforce, { instance_url: url }).values;
    const former = mergeValues(NO_VALUES, at('https://na1.salesforce.com'));
    expect(mergeValues(former, at('https://na2.salesforce.com')).plain).toEqual({
      instanceUrl: 'https://na2.salesforce.com',
    });
    expect(mergeValues(former, NO_VALUES).plain).toEqual(former.plain);
  });
});
