import { expect, test } from 'vitest';
import { changedSettings, defaultSettings } from './agent-settings.ts';

const declared = {
  agentSettings: {
    parallelTasks: { minimum: 1, maximum: 4, default: 2 },
    pullPeriodSeconds: { minimum: 20, maximum: null, default: 30 },
  },
};
const undeclared = { agentSettings: null };

test('an application declares defaults; the platform has its own', () => {
  expect(defaultSettings(declared)).toEqual({
    parallelTasks: 2,
    pullPeriodSeconds: 30,
    logLevel: 'Information',
  });
  expect(defaultSettings(undeclared)).toMatchObject({ parallelTasks: 10, pullPeriodSeconds: 10 });
});

test('an absent member stays, null takes the default again', () => {
  const settings = { parallelTasks: 4, pullPeriodSeconds: 60, logLevel: 'Debug' } as const;
  expect(changedSettings(declared, settings, {})).toEqual(settings);
  expect(changedSettings(declared, settings, { parallelTasks: null, logLevel: 'Error' })).toEqual({
    parallelTasks: 2,
    pullPeriodSeconds: 60,
    logLevel: 'Error',
  });
  expect(changedSettings(declared, settings, { pullPeriodSeconds: null, logLevel: null })).toEqual({
    parallelTasks: 4,
    pullPeriodSeconds: 30,
    logLevel: 'Information',
  });
});

test.each([
  [undeclared, 'parallelTasks', 0, 'must be from 1 to 100'],
  [undeclared, 'parallelTasks', 101, 'must be from 1 to 100'],
  [undeclared, 'pullPeriodSeconds', 9, 'must be at least 10'],
  [declared, 'parallelTasks', 5, 'must be from 1 to 4'],
  [declared, 'pullPeriodSeconds', 19, 'must be at least 20'],
])('a number out of the range is refused with its field', (application, name, value, issue) => {
  const change = () => changedSettings(application, defaultSettings(application), { [name]: value });
  expect(change).toThrow(expect.objectContaining({ details: [{ field: `settings.${name}`, issue }] }));
});
