import { startSandboxCrm } from './app.ts';
import { ConfigError, loadConfig } from './config.ts';

try {
  const crm = await startSandboxCrm(loadConfig(process.env));
  const stop = (): void => {
    crm.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
} catch (error) {
  fail(error);
}

function fail(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    error instanceof ConfigError ? `Unusable settings:\n${message}\n` : `sandbox-crm: ${message}\n`,
  );
  process.exit(1);
}
