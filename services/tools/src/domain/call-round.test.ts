import { expect, test } from 'vitest';
import { callOfState, stateOfCall } from './call-round.ts';

test('a state names its call; states of others name none', () => {
  expect(callOfState(stateOfCall('call_1'))).toBe('call_1');
  for (const state of [undefined, '', 'call_1', 'other']) expect(callOfState(state)).toBeUndefined();
});
