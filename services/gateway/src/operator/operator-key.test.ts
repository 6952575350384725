import { Secret } from '@fairlead/service-kit/secret';
import { expect, test } from 'vitest';
import { carriesOperatorKey, operatorCheck } from './operator-key.ts';

const KEY = 'fairlead_operator_0123456789abcdef';
const isOperator = operatorCheck(new Secret(KEY));

test('the key opens in either header', () => {
  expect(isOperator({ 'x-api-key': KEY })).toBe(true);
  expect(isOperator({ authorization: `Bearer ${KEY}` })).toBe(true);
});

test('anything else does not, and a wrong bearer token wins over the right key', () => {
  expect(isOperator({})).toBe(false);
  expect(isOperator({ 'x-api-key': KEY.slice(1) })).toBe(false);
  expect(isOperator({ authorization: `Basic ${KEY}` })).toBe(false);
  expect(isOperator({ authorization: 'Bearer other', 'x-api-key': KEY })).toBe(false);
});

test('without a configured key no caller is the operator', () => {
  const none = operatorCheck(undefined);
  expect(none({})).toBe(false);
  expect(none({ 'x-api-key': '' })).toBe(false);
  expect(none({ 'x-api-key': 'undefined' })).toBe(false);
});

test('x-operator-key is no credential', () => {
  expect(isOperator({ 'x-operator-key': KEY })).toBe(false);
});

test('beside the credential of an account, the key is found in either header, and in its own', () => {
  const carries = carriesOperatorKey(new Secret(KEY));
  expect(carries({ authorization: 'Bearer other', 'x-api-key': KEY })).toBe(true);
  expect(carries({ authorization: `Bearer ${KEY}`, 'x-api-key': 'other' })).toBe(true);
  expect(carries({ 'x-operator-key': KEY, 'x-api-key': 'other' })).toBe(true);
  expect(carries({ authorization: 'Bearer other', 'x-api-key': 'other', 'x-operator-key': 'other' })).toBe(
    false,
  );
  expect(carriesOperatorKey(undefined)({ 'x-api-key': '' })).toBe(false);
});
