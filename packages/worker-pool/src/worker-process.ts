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
import type { SpawnedWorker } from './spawn-worker.ts';
import { JsonWithBytes } from './json-with-bytes.ts';
import { WorkerLog } from './worker-log.ts';
import { defectOf, fatalOf } from './worker-report.ts';

/** Interval at which workers are checked. */
export const TICK_MS = 100;
/** Time to read the channel after the process has ended, because it may contain the last answers. */
const CHANNEL_END_MS = 200;

/** A worker's events, which its pool handles. */
export interface WorkerEvents {
  /** The worker is ready; `startMs` is the duration of its start. */
  ready(startMs: number): void;
  /** A call has ended, so there may be room for another. */
  callEnded(worker: WorkerProcess): void;
  /** Called with additional processor time of the process, as it is used. */
  used(cpuMs: number): void;
  /** The worker is gone; these calls of it have failed. */
  gone(worker: WorkerProcess, reason: LossReason | 'ended', calls: readonly PoolCall[]): void;
}

/** A worker process. It serves one account from start to end. */
export class WorkerProcess {
  readonly account: string;
  readonly startedAt = performance.now();
  /** Time at which its last call ended. */
  idleSince = this.startedAt;
  /** Accepts no further calls, and ends when it has none. */
  isRetiring = false;
  readonly #limits: PoolLimits;
  readonly #events: WorkerEvents;
  readonly #log: Logger;
  readonly #lines: WorkerLog;
  readonly #spawned: SpawnedWorker;
  /** Unanswered calls by id, including abandoned ones, because the worker may still work on them. */
  readonly #calls = new Map<number, PoolCall>();
  /** Calls that the worker was told to cancel, with the ticks since, and the processor time reported at that time. */
  readonly #cancelled = new Map<PoolCall, { ticks: number; readonly reportedMs: number }>();
  /** Bytes that arrived before the results of these calls. */
  readonly #attached = new Map<number, Buffer>();
  #isReady = false;
  #bytes = 0;
  #reason: LossReason | 'ended' | undefined;
  #isKilled = false;
  #hasExited = false;
  #isGone = false;
  /** Ticks since the unanswered ping; undefined: all pings are answered. */
  #pingTicks: number | undefined;
  /** The processor time that the process had used when the unanswered ping was sent. */
  #pingedAtMs = 0;
  #startTicks = 0;
  readonly #processorTime = new JobProcessorTime(TICK_MS);
  /** The processor time of the process when it was last read. */
  #reportedMs = 0;
  /** Whether the worker had a call at any time since its processor time was last read. */
  #wasBusy = true;

  constructor(o: {
    readonly account: string;
    readonly spawn: () => SpawnedWorker;
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
    this.#spawned = o.spawn();
    const { child, channel } = this.#spawned;
    const reader = createFrameReader(o.limits.resultBytes, (frame) => this.#receive(frame));
    child.on('error', () => {
      // The process never ran, so there will be no exit event.
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
    // An exit event follows.
    channel.on('error', () => undefined);
    channel.on('close', () => {
      // A worker that closed its channel may still run.
      child.kill('SIGKILL');
      if (this.#hasExited) this.#end();
    });
    channel.write(encodeFrame(FRAME.start, 0, o.settings, o.limits.resultBytes));
    if (child.pid === undefined) return;
    preferForOutOfMemory(child.pid);
    yieldProcessor(child.pid);
  }

  /** The process id, for tests and logs. */
  get pid(): number | undefined {
    return this.#spawned.child.pid;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  /** Whether the worker was killed or has ended. */
  get isLost(): boolean {
    return this.#reason !== undefined;
  }

  /** Whether another call of this size fits; `isLast`: the account gets no further worker. */
  hasRoom(bytes: number, isLast = false): boolean {
    if (this.isLost || this.isRetiring) return false;
    if (this.#calls.size === 0) return true;
    const { callsPerWorker, maxCallsPerWorker = callsPerWorker } = this.#limits;
    const limit = isLast ? maxCallsPerWorker : callsPerWorker;
    return this.#calls.size < limit && this.#bytes + bytes <= this.#limits.jobBytes;
  }

  /** Sends a call to the worker, which must have room. */
  take(call: PoolCall): void {
    this.#wasBusy = true;
    this.#calls.set(call.id, call);
    this.#bytes += call.bytes;
    if (this.#isReady) this.#send(call);
  }

  /**
   * Cancels a call whose time is over or whose caller has left. If it does not end soon (in processor time), it is lost,
   * and the worker ends after its other calls or when it answers no pings. A call that was not sent yet is refused.
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

  /** Kills the process at once. Its calls fail when it is gone. */
  kill(reason: LossReason | 'ended'): void {
    if (!this.#isKilled) this.#reportProcessor();
    this.#reason ??= reason;
    this.#isKilled = true;
    this.#spawned.child.kill('SIGKILL');
  }

  /** Checks memory, event loop and idle time; kills the worker if it exceeds a limit. */
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
    // Counts ticks instead of time, so that a long pause of this process counts as one tick.
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

  /** If a process exits by itself, its processor time since the last tick is unknown. */
  #reportProcessor(): void {
    // A starting worker uses processor time, whether or not its calls are still wanted.
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
      // After a pause of this process, an answer may be in the channel, which is read before the next check.
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
    // After a pause of this process, the answer may be in the channel, which is read before the next check.
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
        this.#log.error({ defect: fatalOf(frame.body) }, 'an uncaught error ended a worker');
        this.kill('uncaught');
        return;
      case FRAME.bytes:
        // The frame's body is valid only during this call.
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

  /** A worker may send only a few unsolicited log lines and messages, so that it cannot keep this process busy. */
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
      const messageCount = messages.takeUntold();
      if (messageCount > 0) this.#spawned.channel.write(encodeFrame(FRAME.told, id, '', messageCount));
    }
  }

  #answer({ type, id, argument, body }: Frame): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (argument === 1) this.isRetiring = true;
    if (call.isEnded()) {
      // The call was abandoned; nobody waits for its answer.
    } else if (type === FRAME.result) {
      // A worker may send invalid JSON; the caller of the reader then kills it.
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

  /** Ends a retired worker that has just answered, if all its calls have ended or were abandoned. */
  #endIfDone(): void {
    if (this.isRetiring && [...this.#calls.values()].every((call) => call.isEnded())) this.kill('ended');
  }

  /** Called when the process is gone and its channel is read to the end, so no further answer can arrive. */
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
