// Runs vitest as `vitest run` does, with the same arguments. A process that has started it with an IPC channel is told which files failed.
import { relative } from 'node:path';
import { createVitest, parseCLI } from 'vitest/node';
import type { TestModule } from 'vitest/node';
import type { FailedFile, Failures } from './suites.ts';

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const vitest = await createVitest({ ...options, watch: false });
let hasErrorsElsewhere = false;
try {
  await vitest.start(filter);
  hasErrorsElsewhere = vitest.state.getUnhandledErrors().length > 0;
} catch (error) {
  // A set-up failed, or no file has such a name.
  hasErrorsElsewhere = true;
  console.error(error);
}
const files = vitest.state.getTestModules().filter((file) => !file.ok());

// Failed tests have set it. From here on it says whether the end of the run fails, as when a secret is found in what a stack has written.
process.exitCode = 0;
setTimeout(() => {
  console.error('The run did not end in time.');
  process.exit(1);
}, vitest.config.teardownTimeout).unref();
await vitest.close();
const failures: Failures = {
  files: files.map(toFailedFile),
  isComplete: !hasErrorsElsewhere && process.exitCode === 0,
};
const hasPassed = failures.isComplete && files.length === 0;
if (process.send !== undefined) await new Promise((resolve) => process.send?.(failures, resolve));
process.exit(hasPassed ? 0 : 1);

function toFailedFile(file: TestModule): FailedFile {
  const tests = [...file.children.allTests('failed')].map((test) => ({
    name: test.fullName,
    errors: (test.result().errors ?? []).map(({ message }) => message),
  }));
  // Errors of a set-up belong to no test.
  const suites = [...file.children.allSuites()].map((suite) => ({
    name: suite.fullName,
    errors: suite.errors().map(({ message }) => message),
  }));
  const own = { name: 'the file', errors: file.errors().map(({ message }) => message) };
  const setUps = [own, ...suites].filter(({ errors }) => errors.length > 0);
  return { path: relative(vitest.config.root, file.moduleId), failures: [...setUps, ...tests] };
}
