import { expect, it } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { startService } from './start-service.ts';

const config = { HOST: '127.0.0.1', LOG_LEVEL: 'silent' };

it('a service returns the addresses of its parts, and closes them in reverse order', async () => {
  const closed: string[] = [];
  const app = await startService({ name: 'demo', config }, async ({ closers }) => {
    closers.add('store', { close: () => void closed.push('store') });
    return closers.add('server', { httpUrl: 'http://demo', close: () => void closed.push('server') });
  });
  expect(app.httpUrl).toBe('http://demo');
  expect(closed).toEqual([]);
  await app.close();
  expect(closed).toEqual(['server', 'store']);
});

it('a part that cannot start closes what was opened before it, and its error is the caller’s', async () => {
  const { log } = captureLog();
  const closed: string[] = [];
  const start = startService({ name: 'demo', config, log }, async ({ closers }) => {
    closers.add('store', { close: () => void closed.push('store') });
    throw new Error('the port is taken');
  });
  await expect(start).rejects.toThrow('the port is taken');
  expect(closed).toEqual(['store']);
});
