type LabelValues<L extends readonly string[]> = { readonly [K in keyof L]: string };

interface Description<L extends readonly string[]> {
  /** Names follow Prometheus: base unit last, `_total` for counters. */
  readonly name: string;
  readonly help: string;
  /** Each label has few, known values: never an id, an address or a value that callers choose freely. */
  readonly labels: L;
}

interface CounterSeries {
  add(amount?: number): void;
}

interface GaugeSeries {
  set(value: number): void;
}

interface HistogramSeries {
  observe(value: number): void;
}

/** A metric with a series for each used combination of label values. `series` costs one map look-up per label. */
interface Metric<L extends readonly string[], S> {
  /** The series with these label values, in the order of the labels. Keep it if the values are known in advance. */
  series(...values: LabelValues<L>): S;
}

/** The metrics of a process, and its page for Prometheus. */
export interface Registry {
  counter<const L extends readonly string[]>(d: Description<L>): Metric<L, CounterSeries>;
  gauge<const L extends readonly string[]>(d: Description<L>): Metric<L, GaugeSeries>;
  /** `buckets` are upper bounds in ascending order; default: 1 ms to 60 s, in seconds. */
  histogram<const L extends readonly string[]>(
    d: Description<L> & { readonly buckets?: readonly number[] },
  ): Metric<L, HistogramSeries>;
  /** A value that is read when the page is. `type` is `counter` for a value that only grows. */
  observed(
    d: Omit<Description<[]>, 'labels'> & {
      readonly type?: 'gauge' | 'counter';
      readonly labels?: Readonly<Record<string, string>>;
      readonly read: () => number;
    },
  ): void;
  /** The page in Prometheus' text format 0.0.4. */
  render(): string;
}

/** The media type of the page that `render` returns. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

// Buckets; vendors respond in seconds, our own hops in milliseconds.
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * An empty registry. Recording costs one map look-up per label and an addition; text is only created when the page is
 * read. Throws for two metrics with one name.
 */
export function createRegistry(): Registry {
  const pages = new Map<string, () => string>();
  const add = (name: string, help: string, type: string, lines: () => Iterable<string>): void => {
    if (pages.has(name)) throw new Error(`The metric ${name} is declared twice.`);
    pages.set(name, () => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...lines()].join('\n')}\n`);
  };
  function addNumbers<L extends readonly string[]>(
    { name, help, labels }: Description<L>,
    type: 'counter' | 'gauge',
  ): Metric<L, Amount> {
    const metric = new SeriesTree(labels, () => new Amount());
    add(name, help, type, () => metric.map((text, { value }) => [`${name}${braced(text)} ${value}`]));
    return metric;
  }
  return {
    counter: (d) => addNumbers(d, 'counter'),
    gauge: (d) => addNumbers(d, 'gauge'),
    histogram({ name, help, labels, buckets = SECONDS }) {
      const metric = new SeriesTree(labels, () => new Distribution(buckets));
      add(name, help, 'histogram', () => metric.map((text, distribution) => distribution.lines(name, text)));
      return metric;
    },
    observed({ name, help, type = 'gauge', labels = {}, read }) {
      const text = labelText(Object.keys(labels), Object.values(labels));
      add(name, help, type, () => [`${name}${braced(text)} ${read()}`]);
    },
    render: () => [...pages.values()].map((page) => page()).join(''),
  };
}

class Amount implements CounterSeries, GaugeSeries {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }
}

class Distribution implements HistogramSeries {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      bucket += 1;
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  lines(name: string, labels: string): string[] {
    const prefix = labels === '' ? '' : `${labels},`;
    let total = 0;
    const lines = [...this.#counts].map((count, at) => {
      total += count;
      return `${name}_bucket{${prefix}le="${this.#bounds[at] ?? '+Inf'}"} ${total}`;
    });
    return [...lines, `${name}_sum${braced(labels)} ${this.#sum}`, `${name}_count${braced(labels)} ${total}`];
  }
}

/** Series by label values: a tree of maps, because joining the values to one key would cost more than the rest. */
class SeriesTree<L extends readonly string[], S> implements Metric<L, S> {
  readonly #labels: L;
  readonly #create: () => S;
  readonly #root = new Map<string, unknown>();
  readonly #all: { readonly text: string; readonly series: S }[] = [];

  constructor(labels: L, create: () => S) {
    this.#labels = labels;
    this.#create = create;
    // A metric without labels exists from the start, at 0.
    if (labels.length === 0) this.#add([]);
  }

  series(...values: LabelValues<L>): S {
    let node: unknown = this.#root;
    for (const value of values) {
      node = node instanceof Map ? node.get(value) : undefined;
      if (node === undefined) return this.#add(values);
    }
    // Below the last label there are only series; without labels there is one.
    return values.length === 0 ? this.#only() : (node as S);
  }

  *map(lines: (text: string, series: S) => string[]): Iterable<string> {
    for (const { text, series } of this.#all) yield* lines(text, series);
  }

  #only(): S {
    const [first] = this.#all;
    return first === undefined ? this.#add([]) : first.series;
  }

  #add(values: readonly string[]): S {
    const series = this.#create();
    this.#all.push({ text: labelText(this.#labels, values), series });
    let node = this.#root;
    for (const value of values.slice(0, -1)) {
      const next = node.get(value);
      const map = next instanceof Map ? (next as Map<string, unknown>) : new Map<string, unknown>();
      node.set(value, map);
      node = map;
    }
    const last = values.at(-1);
    if (last !== undefined) node.set(last, series);
    return series;
  }
}

function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escaped(values[at] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
