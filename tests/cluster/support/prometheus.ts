import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@fairlead/local-stores/ports';
import { ALL_SERVICES } from './installation.ts';
import { until } from './kubernetes.ts';
import type { Namespace } from './kubernetes.ts';
import { metricsPath } from './metrics.ts';
import { serviceOf } from './monitor.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

const READY_MS = 60_000;
const SERVING = /^Starting to serve on (\S+)$/;

/** A Prometheus on this machine that scrapes the pods of a namespace. */
export interface Prometheus extends Program {
  readonly url: string;
}

/** Starts it. It scrapes pods through the API server, with the labels that the chart's ServiceMonitors set. */
export async function startPrometheus(namespace: Namespace, program: string): Promise<Prometheus> {
  const api = await startProxy();
  const targets = await startTargets(namespace, api.address);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-prometheus-'));
  const config = join(folder, 'prometheus.json');
  await writeFile(config, JSON.stringify(configOf(targets.url)));
  const listen = `127.0.0.1:${String(await freePort())}`;
  const files = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const running = startProgram(program, [...files, `--web.listen-address=${listen}`, '--log.level=warn']);
  const url = `http://${listen}`;
  const prometheus = {
    url,
    async stop() {
      await running.stop();
      targets.close();
      api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await until('Prometheus is ready', READY_MS, () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  } catch (error) {
    await prometheus.stop();
    throw error;
  }
  return prometheus;
}

/** Prometheus's configuration as JSON, which is valid YAML. */
function configOf(targets: string): object {
  return {
    scrape_configs: [
      {
        job_name: 'fairlead',
        scrape_interval: '10s',
        honor_labels: true,
        http_sd_configs: [{ url: targets, refresh_interval: '20s' }],
      },
    ],
  };
}

/** Serves the list of pods for Prometheus' HTTP service discovery, because its build may lack Kubernetes support. */
async function startTargets(
  namespace: Namespace,
  api: string,
): Promise<{ readonly url: string; close(): void }> {
  const targets = async (): Promise<object> => {
    const pods = await namespace.pods('app.kubernetes.io/component');
    return pods
      .filter((pod) => ALL_SERVICES.some((name) => serviceOf(pod).startsWith(name)))
      .map(({ metadata: { name } }) => ({
        targets: [api],
        labels: { __metrics_path__: metricsPath(namespace, name), namespace: namespace.name, pod: name },
      }));
  };
  const server = createServer((_request, response) => {
    targets().then(
      (list) => response.setHeader('content-type', 'application/json').end(JSON.stringify(list)),
      // Without a response it keeps the former targets.
      () => response.writeHead(503).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A local address for the API server that needs no credentials. */
async function startProxy(): Promise<{ readonly address: string; stop(): void }> {
  const running = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: running.stdout })) {
    const [, address] = SERVING.exec(line) ?? [];
    if (address !== undefined) return { address, stop: () => running.kill() };
  }
  throw new Error('kubectl proxy has ended');
}
