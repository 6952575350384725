import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

test('answers exit code and output, a failure included', async () => {
  const result = await runCommand('sh', ['-c', 'cat; echo oops >&2; exit 4'], { input: 'given' });
  expect(result).toEqual({ code: 4, stdout: 'given', stderr: 'oops\n' });
});

test('rejects with the reason when aborted, and ends the command', async () => {
  const controller = new AbortController();
  const running = runCommand('sleep', ['600'], { signal: controller.signal });
  controller.abort(new Error('no longer wanted'));
  await expect(running).rejects.toThrow('no longer wanted');
});

test('rejects when there is no such command', async () => {
  await expect(runCommand('/nonexistent/program', [])).rejects.toMatchObject({ code: 'ENOENT' });
});
