import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { exitReason, JobDefectError, PoolRefusalError } from './errors.ts';
import type { LossReason } from './errors.ts';
import { createFrameReader, encodeFrame, FRAME } from './frame.ts';
import type { Frame } from './frame.ts';
import { JobProcessorTime } from './job-processor-time.ts';
import type { PoolLimits } from './limits.ts';
import {
  isStartOver,
  isStuck,
  preferForOutOfMemory,
  processorMs,
  residentBytes,
  yieldProcessor,
} from './process-usage.ts';
import type { PoolCall } from './pool-call.ts';
import { spawnWorker } from './spawn-worker.ts';
import type { SpawnedWorker } from './spawn-worker.ts';
import { JsonWithBytes } from './json-with-bytes.ts';
import { WorkerLog } from './worker-log.ts';
import { defectOf, fatalOf } from './worker-report.ts';

/** How often workers are examined. */
export const TICK_MS = 100;
/** After the end of a process its last answers are still in the channel. */
const CHANNEL_END_MS = 200;

/** The events of a worker that its pool handles. */
export interface WorkerEvents {
  /** The worker takes calls; `startMs` is how long that took. */
  ready(startMs: number): void;
  /** A call ended, so that there may be room. */
  callEnded(worker: WorkerProcess): void;
  /** The process has used that much more processor time. */
  used(cpuMs: number): void;
  /** The worker is gone; these calls that it had have been failed. */
  gone(worker: WorkerProcess, reason: LossReason | 'ended', calls: readonly PoolCall[]): void;
}

/** One worker process. It serves one account, from its start to its end. */
export class WorkerProcess {
  readonly account: string;
  readonly startedAt = performance.now();
  /** When its last call ended. */
  idleSince = this.startedAt;
  /** Takes no further calls and ends when it has none. */
  isRetiring = false;
  readonly #limits: PoolLimits;
  readonly #events: WorkerEvents;
  readonly #log: Logger;
  readonly #lines: WorkerLog;
  readonly #spawned: SpawnedWorker;
  /** Assigned and not answered, by id; also those that were given up, because the worker may still work on them. */
  readonly #calls = new Map<number, PoolCall>();
  /** Calls that the worker was told to end, with the ticks since, and the processor time that had been reported then. */
  readonly #cancelled = new Map<PoolCall, { ticks: number; readonly reportedMs: number }>();
  /** The bytes that came before the results of these calls. */
  readonly #attached = new Map<number, Buffer>();
  #isReady = false;
  #bytes = 0;
  #reason: LossReason | 'ended' | undefined;
  #isKilled = false;
  #hasExited = false;
  #isGone = false;
  /** Ticks since the ping that has no answer; undefined: every ping is answered. */
  #pingTicks: number | undefined;
  /** Processor time that was reported when it was pinged. */
  #pingedAtMs = 0;
  #startTicks = 0;
  readonly #processorTime = new JobProcessorTime(TICK_MS);
  /** Processor time that was reported. */
  #reportedMs = 0;
  /** Whether it had a call since. */
  #wasBusy = true;

  constructor(o: {
    readonly account: string;
    readonly entry: URL;
    readonly settings: string;
    readonly limits: PoolLimits;
    readonly log: Logger;
    readonly events: WorkerEvents;
  }) {
    this.account = o.account;
    this.#limits = o.limits;
    this.#events = o.events;
    this.#log = o.log;
    this.#lines = new WorkerLog(o.log);
    this.#spawned = spawnWorker(o.entry, o.limits.heapMb);
    const { child, channel } = this.#spawned;
    const reader = createFrameReader(o.limits.resultBytes, (frame) => this.#receive(frame));
    child.on('error', () => {
      // It never ran, so that no exit follows.
      this.#hasExited = true;
      this.kill('start');
      channel.destroy();
    });
    child.on('exit', (_code, signal) => {
      this.#hasExited = true;
      this.#reason ??= exitReason(signal, this.#isReady);
      if (channel.closed) this.#end();
      else setTimeout(() => channel.destroy(), CHANNEL_END_MS);
    });
    channel.on('data', (chunk: Buffer) => {
      if (this.#isKilled) return;
      try {
        reader.push(chunk);
      } catch {
        this.kill('protocol');
      }
    });
    // Its end follows.
    channel.on('error', () => undefined);
    channel.on('close', () => {
      // A worker that closed its channel still runs.
      child.kill('SIGKILL');
      if (this.#hasExited) this.#end();
    });
    channel.write(encodeFrame(FRAME.start, 0, o.settings, o.limits.resultBytes));
    if (child.pid === undefined) return;
    preferForOutOfMemory(child.pid);
    yieldProcessor(child.pid);
  }

  /** For tests and the log. */
  get pid(): number | undefined {
    return this.#spawned.child.pid;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  /** Whether the worker is killed or ended. */
  get isLost(): boolean {
    return this.#reason !== undefined;
  }

  /** Whether another call of that size fits; `isLast`: there will be no further worker for it. */
  hasRoom(bytes: number, isLast = false): boolean {
    if (this.isLost || this.isRetiring) return false;
    if (this.#calls.size === 0) return true;
    const { callsPerWorker, maxCallsPerWorker = callsPerWorker } = this.#limits;
    const limit = isLast ? maxCallsPerWorker : callsPerWorker;
    return this.#calls.size < limit && this.#bytes + bytes <= this.#limits.jobBytes;
  }

  /** Makes a call; only if there is room. */
  take(call: PoolCall): void {
    this.#wasBusy = true;
    this.#calls.set(call.id, call);
    this.#bytes += call.bytes;
    if (this.#isReady) this.#send(call);
  }

  /**
   * Tells the worker that a call's time is over or its caller gave up. A call that does not end soon after, in the processor's time, is
   * lost, and the worker ends when its other calls have, or when it answers no pings. A call that the worker has not got is refused.
   */
  cancel(call: PoolCall): void {
    if (!this.#isReady) {
      call.fail(new PoolRefusalError('busy'));
      this.#forget(call);
      return;
    }
    this.#spawned.channel.write(encodeFrame(FRAME.cancel, call.id));
    this.#cancelled.set(call, { ticks: 0, reportedMs: this.#reportedMs });
  }

  /** Ends the process at once. Its calls fail when it is gone. */
  kill(reason: LossReason | 'ended'): void {
    if (!this.#isKilled) this.#reportProcessor();
    this.#reason ??= reason;
    this.#isKilled = true;
    this.#spawned.child.kill('SIGKILL');
  }

  /** Examines memory, event loop and idle time; kills the worker if it passes a limit. */
  tick(): void {
    if (this.isLost) return;
    this.#lines.tick();
    this.#acknowledgeMessages();
    this.#reportProcessor();
    const bytes = this.pid === undefined ? undefined : residentBytes(this.pid);
    if (bytes !== undefined && bytes > this.#limits.memoryMb * 1024 * 1024) {
      this.kill('memory');
      return;
    }
    // Ticks are counted, not time: one long pause of this process is one tick.
    if (!this.#isReady) {
      this.#startTicks += 1;
      if (isStartOver(this.#startTicks * TICK_MS, this.#reportedMs, this.#limits.startMs)) this.kill('start');
    } else if (this.#calls.size > 0) {
      this.#examineCancelled();
      this.#examineProcessor();
      this.#examineLoop();
    } else if (this.isRetiring || performance.now() - this.idleSince > this.#limits.idleMs)
      this.kill('ended');
  }

  /** If a process ends by itself, the time that it used since the last tick is not known. */
  #reportProcessor(): void {
    // One that starts uses it, whether or not its calls are still wanted.
    const isBusy = this.#wasBusy || !this.#isReady;
    if (!isBusy || this.pid === undefined || this.#hasExited) return;
    this.#wasBusy = this.#calls.size > 0;
    const usedMs = processorMs(this.pid);
    if (usedMs === undefined || usedMs <= this.#reportedMs) return;
    this.#events.used(usedMs - this.#reportedMs);
    this.#reportedMs = usedMs;
  }

  #examineCancelled(): void {
    for (const [call, since] of this.#cancelled) {
      since.ticks += 1;
      const usedMs = this.#reportedMs - since.reportedMs;
      const silence = { pid: this.pid, silentMs: since.ticks * TICK_MS, usedMs };
      if (!isStuck(silence, this.#limits.cancelMs)) continue;
      this.#cancelled.delete(call);
      // After a pause of this process its answer may be in the channel, which is read before.
      setImmediate(() => this.#giveUp(call));
    }
  }

  #giveUp(call: PoolCall): void {
    if (call.isEnded() || this.isLost) return;
    this.isRetiring = true;
    call.lose('unresponsive');
  }

  #examineProcessor(): void {
    const [call] = this.#calls.values();
    if (call?.cpuMs === undefined) return;
    if (this.#processorTime.isOver(call, this.pid && processorMs(this.pid))) this.kill('cpu');
  }

  #examineLoop(): void {
    if (this.isLost) return;
    if (this.#pingTicks !== undefined) this.#pingTicks += 1;
    else this.#ping();
    if (!this.#isStuck()) return;
    // After a pause of this process the answer may be in the channel, which is read before.
    setImmediate(() => {
      if (!this.isLost && this.#isStuck()) this.kill('unresponsive');
    });
  }

  #isStuck(): boolean {
    const silentMs = (this.#pingTicks ?? 0) * TICK_MS;
    const usedMs = this.#reportedMs - this.#pingedAtMs;
    return isStuck({ pid: this.pid, silentMs, usedMs }, this.#limits.unresponsiveMs);
  }

  #ping(): void {
    if (this.#pingTicks !== undefined) return;
    this.#pingTicks = 0;
    this.#pingedAtMs = this.#reportedMs;
    this.#spawned.channel.write(encodeFrame(FRAME.ping));
  }

  #receive(frame: Frame): void {
    if (this.#isKilled) return;
    if (!this.#isExpected(frame)) {
      this.kill('protocol');
      return;
    }
    switch (frame.type) {
      case FRAME.ready:
        this.#becomeReady();
        return;
      case FRAME.pong:
        this.#pingTicks = undefined;
        this.#endIfDone();
        return;
      case FRAME.log:
        this.#lines.forward(frame.body, [...this.#calls.values()]);
        return;
      case FRAME.fatal:
        this.#log.error({ defect: fatalOf(frame.body) }, 'an error that nothing caught ended a worker');
        this.kill('uncaught');
        return;
      case FRAME.bytes:
        // Its body is only lent.
        this.#attached.set(frame.id, Buffer.from(frame.body));
        return;
      case FRAME.ask:
        void this.#decide(frame.id);
        return;
      case FRAME.tell:
        this.#calls.get(frame.id)?.messages.tell(frame.body);
        return;
      case FRAME.question:
        this.#question(frame);
        return;
      default:
        this.#answer(frame);
    }
  }

  /** A worker sends nothing unasked but a few lines for the log and a few messages, so that it cannot keep this process busy. */
  #isExpected({ type, id, argument, body }: Frame): boolean {
    switch (type) {
      case FRAME.ready:
        return !this.#isReady;
      case FRAME.pong:
        return this.#pingTicks !== undefined;
      case FRAME.log:
        return this.#lines.mayLog();
      case FRAME.fatal:
        return true;
      case FRAME.bytes:
        return this.#isReady && this.#calls.has(id) && !this.#attached.has(id);
      case FRAME.ask:
        return this.#isReady && this.#calls.get(id)?.mayAsk() === true;
      case FRAME.tell:
        return this.#calls.get(id)?.messages.mayTell(body.length) === true;
      case FRAME.question:
        return this.#calls.get(id)?.messages.mayQuestion(argument, body.length) === true;
      case FRAME.result:
      case FRAME.failed:
        return this.#isReady && this.#calls.has(id);
      default:
        return false;
    }
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#events.ready(performance.now() - this.startedAt);
    for (const call of this.#calls.values()) this.#send(call);
  }

  #send(call: PoolCall): void {
    for (const part of call.start()) this.#spawned.channel.write(part);
  }

  async #decide(id: number): Promise<void> {
    const mayGoOn = await this.#calls.get(id)?.ask();
    if (!this.isLost) this.#spawned.channel.write(encodeFrame(FRAME.decision, id, '', Number(mayGoOn)));
  }

  #question({ id, argument, body }: Frame): void {
    this.#calls.get(id)?.messages.question(argument, body, (answer) => {
      if (!this.isLost) this.#spawned.channel.write(encodeFrame(FRAME.answer, id, answer, argument));
    });
  }

  #acknowledgeMessages(): void {
    for (const { id, messages } of this.#calls.values()) {
      const told = messages.takeUntold();
      if (told > 0) this.#spawned.channel.write(encodeFrame(FRAME.told, id, '', told));
    }
  }

  #answer({ type, id, body }: Frame): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (call.isEnded()) {
      // It was given up; nobody waits for its answer.
    } else if (type === FRAME.result) {
      // A worker may send what is not JSON; the reader's caller kills it then.
      const json: unknown = JSON.parse(body.toString('utf8'));
      const bytes = this.#attached.get(id);
      call.succeed(bytes === undefined ? json : new JsonWithBytes(json, bytes));
    } else {
      const { name, message, stack } = defectOf(body);
      const error = new JobDefectError(`${name}: ${message}`);
      error.stack = stack;
      call.fail(error);
    }
    this.#forget(call);
  }

  #forget(call: PoolCall): void {
    this.#calls.delete(call.id);
    this.#attached.delete(call.id);
    this.#cancelled.delete(call);
    this.#lines.addEnded(call);
    this.#bytes -= call.bytes;
    this.idleSince = performance.now();
    this.#endIfDone();
    this.#events.callEnded(this);
  }

  /** Ends a worker that has just answered and whose calls have all ended or were given up. */
  #endIfDone(): void {
    if (this.isRetiring && [...this.#calls.values()].every((call) => call.isEnded())) this.kill('ended');
  }

  /** The process is gone and its channel is read to the end, so that no further answer can come. */
  #end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const reason = this.#reason ?? 'died';
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.lose(reason === 'ended' ? 'died' : reason);
    this.#events.gone(this, reason, calls);
  }
}
