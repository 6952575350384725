import { expect, test } from 'vitest';
import { storeSettings } from './config.ts';

test('FAIRLEAD_CACHE names the cache folder itself', () => {
  const settings = storeSettings({ FAIRLEAD_CACHE: '/srv/cache', XDG_CACHE_HOME: '/x', HOME: '/home/ada' });
  expect(settings.cacheDirectory).toBe('/srv/cache');
});

test.runIf(process.platform === 'linux')(
  'without it the cache lies where XDG says, or below the home folder',
  () => {
    expect(storeSettings({ XDG_CACHE_HOME: '/x', HOME: '/home/ada' }).cacheDirectory).toBe('/x/fairlead');
    expect(storeSettings({ HOME: '/home/ada' }).cacheDirectory).toBe('/home/ada/.cache/fairlead');
  },
);

test('the search path keeps its order and skips empty entries', () => {
  expect(storeSettings({ PATH: '/b::/a' }).searchPath).toEqual(['/b', '/a']);
});
