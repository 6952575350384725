/** A graph: each query is PromQL with its legend. `$scope` stands for the selected namespaces. */
interface Graph {
  readonly title: string;
  readonly unit: 'reqps' | 's' | 'percent' | 'percentunit' | 'bytes' | 'short' | 'ops';
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

interface Dashboard {
  /** File name without `.json`, also part of the address in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly graphs: readonly Graph[];
}

const SCOPE = 'namespace=~"$namespace"';
const COLUMNS = 2;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;

/** Rate of events per second, by a label. */
function rate(metric: string, by: string, selector = ''): string {
  return `sum by (${by}) (rate(${metric}{${SCOPE}${selector}}[$__rate_interval]))`;
}

/** The 99th percentile of a histogram; `by`: labels separated by commas, or empty. */
function p99(metric: string, by = '', selector = ''): string {
  const labels = by === '' ? 'le' : `${by}, le`;
  return `histogram_quantile(0.99, sum by (${labels}) (rate(${metric}_bucket{${SCOPE}${selector}}[$__rate_interval])))`;
}

/** The maximum over all replicas. */
function highest(metric: string, by = ''): string {
  return `max${by === '' ? '' : ` by (${by})`} (${metric}{${SCOPE}})`;
}

const HTTP = 'http_server_request_duration_seconds';
const RPC = 'rpc_server_duration_seconds';

const OVERVIEW: Dashboard = {
  name: 'overview',
  title: 'Fairlead / Overview',
  graphs: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: [[rate(`${HTTP}_count`, 'status'), '{{status}}']],
    },
    {
      title: 'Share of requests that failed (5xx)',
      unit: 'percentunit',
      queries: [
        [
          `sum(rate(${HTTP}_count{${SCOPE}, status=~"5.."}[$__rate_interval])) / sum(rate(${HTTP}_count{${SCOPE}}[$__rate_interval]))`,
          '5xx',
        ],
      ],
    },
    {
      title: 'Requests by route, the ten busiest',
      unit: 'reqps',
      queries: [[`topk(10, ${rate(`${HTTP}_count`, 'method, route')})`, '{{method}} {{route}}']],
    },
    {
      title: 'Duration of requests by route, p99, the ten slowest',
      unit: 's',
      queries: [[`topk(10, ${p99(HTTP, 'method, route')})`, '{{method}} {{route}}']],
    },
    {
      title: 'RPCs by service, the ten busiest',
      unit: 'reqps',
      queries: [[`topk(10, ${rate(`${RPC}_count`, 'service, method')})`, '{{service}}/{{method}}']],
    },
    {
      title: 'RPCs that failed',
      unit: 'reqps',
      queries: [
        [
          rate(`${RPC}_count`, 'service, code', ', code=~"INTERNAL|UNAVAILABLE|TIMEOUT"'),
          '{{service}} {{code}}',
        ],
      ],
    },
    {
      title: 'Duration of RPCs, p99, the ten slowest',
      unit: 's',
      queries: [[`topk(10, ${p99(RPC, 'service, method')})`, '{{service}}/{{method}}']],
    },
    {
      title: 'Delay of the event loop, p99',
      unit: 's',
      queries: [[highest('nodejs_eventloop_lag_p99_seconds', 'job'), '{{job}}']],
    },
    {
      title: 'Processors',
      unit: 'short',
      queries: [[rate('process_cpu_seconds_total', 'job'), '{{job}}']],
    },
    {
      title: 'Memory of the largest replica',
      unit: 'bytes',
      queries: [[highest('process_resident_memory_bytes', 'job'), '{{job}}']],
    },
  ],
};

const DELIVERY: Dashboard = {
  name: 'delivery',
  title: 'Fairlead / Triggers and delivery',
  graphs: [
    {
      title: 'Calls to inbound addresses by status',
      unit: 'reqps',
      queries: [[rate(`${HTTP}_count`, 'status', ', route="/hooks/{token}"'), '{{status}}']],
    },
    {
      title: 'Runs of schedules and polls',
      unit: 'ops',
      queries: [[rate('trigger_runs_total', 'kind, outcome'), '{{kind}} {{outcome}}']],
    },
    {
      title: 'Duration of runs, p99',
      unit: 's',
      queries: [[p99('trigger_run_duration_seconds', 'kind'), '{{kind}}']],
    },
    {
      title: 'Captured events',
      unit: 'ops',
      queries: [[rate('trigger_events_published_total', 'outcome'), '{{outcome}}']],
    },
    {
      title: 'Messages of captured events that wait',
      unit: 'short',
      queries: [[highest('trigger_stream_lag_messages'), 'messages']],
    },
    {
      title: 'Oldest captured event that the ledger lacks',
      unit: 's',
      queries: [[highest('trigger_outbox_oldest_seconds'), 'age']],
    },
    {
      title: 'Time from the capture to the ledger, p99',
      unit: 's',
      queries: [[p99('delivery_stream_lag_seconds'), 'p99']],
    },
    {
      title: 'Attempts by outcome',
      unit: 'ops',
      queries: [[rate('delivery_attempts_total', 'outcome'), '{{outcome}}']],
    },
    {
      title: 'Longest overdue attempt',
      unit: 's',
      queries: [[highest('delivery_overdue_seconds'), 'overdue']],
    },
    {
      title: 'Delay of attempts, p99',
      unit: 's',
      queries: [[p99('delivery_due_lag_seconds'), 'p99']],
    },
  ],
};

const STORES: Dashboard = {
  name: 'stores',
  title: 'Fairlead / Stores, sweeps and keys',
  graphs: [
    {
      title: 'NATS answers (1), by service',
      unit: 'short',
      queries: [[`min by (job) (nats_live{${SCOPE}})`, '{{job}}']],
    },
    {
      title: 'MongoDB grants no leases (1)',
      unit: 'short',
      queries: [[highest('rate_limit_store_away'), 'away']],
    },
    {
      title: 'Calls by decision of the budgets',
      unit: 'reqps',
      queries: [[rate('rate_limit_decisions_total', 'budget, outcome'), '{{budget}} {{outcome}}']],
    },
    {
      title: 'Exchanges of leases with MongoDB',
      unit: 'ops',
      queries: [[rate('rate_limit_lease_exchanges_total', 'budget, outcome'), '{{budget}} {{outcome}}']],
    },
    {
      title: 'Documents of sweeps',
      unit: 'ops',
      queries: [[rate('sweep_items_total', 'sweep, outcome'), '{{sweep}} {{outcome}}']],
    },
    {
      title: 'Longest overdue document of a sweep',
      unit: 's',
      queries: [[highest('sweep_overdue_seconds', 'job'), '{{job}}']],
    },
    {
      title: 'Messages of streams',
      unit: 'ops',
      queries: [[rate('stream_messages_total', 'consumer, outcome'), '{{consumer}} {{outcome}}']],
    },
    {
      title: 'Audit: time since all events were fetched',
      unit: 's',
      queries: [[highest('audit_fetch_lag_seconds'), 'lag']],
    },
    {
      title: 'Data keys that an old key wraps',
      unit: 'short',
      queries: [[highest('sealing_data_keys_outdated', 'job'), '{{job}}']],
    },
    {
      title: 'Renewals of tokens',
      unit: 'ops',
      queries: [[rate('token_renewals_total', 'for, outcome'), '{{for}} {{outcome}}']],
    },
  ],
};

const CALLS: Dashboard = {
  name: 'calls',
  title: 'Fairlead / Applications, MCP and agents',
  graphs: [
    {
      title: 'Calls to applications by outcome',
      unit: 'reqps',
      queries: [[rate('egress_call_duration_seconds_count', 'kind, outcome'), '{{kind}} {{outcome}}']],
    },
    {
      title: 'Duration of calls to applications, p99',
      unit: 's',
      queries: [[p99('egress_call_duration_seconds', 'job'), '{{job}}']],
    },
    {
      title: 'Requests of MCP clients by status',
      unit: 'reqps',
      queries: [[rate(`${HTTP}_count`, 'status', ', route=~"/mcp/.*"'), '{{status}}']],
    },
    {
      title: 'Duration of requests of MCP clients, p99',
      unit: 's',
      queries: [[p99(HTTP, 'route', ', method="POST", route=~"/mcp/.*"'), '{{route}}']],
    },
    {
      title: 'Streams of MCP clients',
      unit: 'short',
      queries: [[`sum(mcp_streams{${SCOPE}})`, 'streams']],
    },
    {
      title: 'Kept sessions with databases and MCP servers',
      unit: 'ops',
      queries: [[rate('connector_sessions_total', 'kind, event'), '{{kind}} {{event}}']],
    },
    {
      title: 'Calls in worker processes',
      unit: 'ops',
      queries: [[rate('worker_pool_calls_total', 'pool, outcome'), '{{pool}} {{outcome}}']],
    },
    {
      title: 'Calls that wait',
      unit: 'short',
      queries: [
        [`sum by (job) (worker_pool_waiting_calls{${SCOPE}})`, '{{job}}: for a worker'],
        [`sum by (job) (account_slots_waiting_calls{${SCOPE}})`, '{{job}}: for their account'],
      ],
    },
    {
      title: 'Open tasks of on-prem agents',
      unit: 'short',
      queries: [
        [highest('agent_tasks_queued'), 'queued'],
        [highest('agent_tasks_taken'), 'taken'],
        [highest('agent_tasks_started'), 'started'],
      ],
    },
    {
      title: 'Open polls of on-prem agents',
      unit: 'short',
      queries: [[`sum(agent_polls_open{${SCOPE}})`, 'polls']],
    },
  ],
};

const RPC_CLIENT = 'rpc_client_duration_seconds';

const CANARIES: Dashboard = {
  name: 'canaries',
  title: 'Fairlead / Canaries',
  graphs: [
    {
      title: 'RPCs that callers made, by service and track',
      unit: 'reqps',
      queries: [[rate(`${RPC_CLIENT}_count`, 'service, track'), '{{service}} {{track}}']],
    },
    {
      title: 'RPCs that failed, by track',
      unit: 'reqps',
      queries: [
        [
          rate(`${RPC_CLIENT}_count`, 'service, track, code', ', code=~"INTERNAL|UNAVAILABLE|TIMEOUT"'),
          '{{service}} {{track}} {{code}}',
        ],
      ],
    },
    {
      title: 'Duration of RPCs by track, p99, the ten slowest',
      unit: 's',
      queries: [[`topk(10, ${p99(RPC_CLIENT, 'service, track')})`, '{{service}} {{track}}']],
    },
    {
      title: 'Weight of canaries',
      unit: 'percent',
      queries: [[highest('canary_weight', 'service'), '{{service}}']],
    },
    {
      title: 'Addresses of canaries, the callers that know most',
      unit: 'short',
      queries: [[highest('canary_endpoints', 'service'), '{{service}}']],
    },
    {
      title: 'Calls for canaries that went to stable',
      unit: 'reqps',
      queries: [[rate('canary_fallbacks_total', 'service'), '{{service}}']],
    },
  ],
};

/** The dashboards of the chart. */
export const DASHBOARDS: readonly Dashboard[] = [OVERVIEW, DELIVERY, STORES, CALLS, CANARIES];

/** The dashboard as Grafana imports it. */
export function grafanaJson({ name, title, graphs }: Dashboard): string {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  const dashboard = {
    uid: `fairlead-${name}`,
    title,
    tags: ['fairlead'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: 'label_values(nats_live, namespace)',
          refresh: 2,
          includeAll: true,
          multi: true,
          // Also finds processes outside of Kubernetes, which have no namespace.
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: graphs.map((graph, at) => ({
      id: at + 1,
      type: 'timeseries',
      title: graph.title,
      datasource,
      gridPos: {
        x: (at % COLUMNS) * WIDTH,
        y: Math.floor(at / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit: graph.unit, min: 0 }, overrides: [] },
      options: { tooltip: { mode: 'multi' } },
      targets: graph.queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCodePoint(65 + query),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
