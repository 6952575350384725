import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('V8 knows what it is told', () => {
  const url = new URL('young-objects.ts', import.meta.url);
  const source = `import { keepObjectsYoung } from '${url.href}'; keepObjectsYoung(); console.log('told');`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  // V8 reports an unknown flag there and continues.
  expect({ stdout, stderr, status }).toEqual({ stdout: 'told\n', stderr: '', status: 0 });
});
