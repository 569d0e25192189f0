// The work queue of the store: items, their claims, and the filter of a claim.

/** Offers that an item requires of a worker. Absent members demand nothing. */
export interface WorkRequirements {
  readonly region?: string;
  readonly gpu?: boolean;
  readonly model?: string;
  /** The Task needs Secret values: only workers that hold the store's encryption key can run it. Set after a worker without it found out. */
  readonly secrets?: boolean;
  /** The Task may call programs of MCP servers: only workers that start them can run it. Set after a worker that does not found out. */
  readonly mcpStdio?: boolean;
  /** The Task is taken only by a worker that holds no other Task in doubt. Set when it was lost so often that one more loss condemns it. */
  readonly alone?: boolean;
}

export interface NewWorkItem {
  readonly queue: string;
  /** Unique within the queue; for Tasks the uid, which is also the journal stream. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Smaller is taken first. Time of entry minus the priority's head start, so that waiting raises an item (ageing). */
  readonly rank: number;
  /** Milliseconds since the epoch before which the item may not be taken. */
  readonly notBefore: number;
  readonly requirements: WorkRequirements;
}

export interface WorkItem extends NewWorkItem {
  readonly owner: string | undefined;
  /** +1 on each claim. A write under an older fence fails with LeaseLost. */
  readonly fence: number;
  /** Milliseconds since the epoch; 0 when not claimed. */
  readonly leaseUntil: number;
  /** True while the item waits for a signal and is not to be claimed. */
  readonly parked: boolean;
  /** How often it was taken from an owner that had not given it back, since the count was last cleared. */
  readonly takeovers: number;
}

/** An owner that lost an item without giving it back. */
export interface FormerOwner {
  readonly owner: string;
  /** True when its process is known to have ended: nobody waited for its lease. */
  readonly ended: boolean;
}

/** Proof of ownership that fenced writes carry. */
export interface Claim extends Omit<NewWorkItem, 'rank'> {
  readonly owner: string;
  readonly fence: number;
  readonly claimedAt: number;
  readonly leaseUntil: number;
  /** The item's, as it was when it was taken. */
  readonly notBefore: number;
  /** True when it was taken from an owner that had not given it back: another worker, or one of the same name before it. */
  readonly takeover: boolean;
  /** Items of this owner. */
  readonly from?: FormerOwner;
  /** The item's count, this claim included. */
  readonly takeovers: number;
}

export interface ClaimQuery {
  readonly queue: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  readonly capabilities: {
    readonly region?: string;
    readonly gpu: boolean;
    /** Models this worker serves. */
    readonly supportedModels: readonly string[];
    /** False when this worker cannot open the store's Secrets. */
    readonly secrets: boolean;
    /** True when this worker starts programs of MCP servers. Default false. */
    readonly mcpStdio?: boolean;
    /** True while this worker may take an item that has to be alone. Default false. */
    readonly alone?: boolean;
  };
}

/** Where a page of ready work begins and how long it may be. */
export interface ReadyWorkPage {
  /** Strictly after this item in order of rank, then key. */
  readonly after?: Pick<WorkItem, 'rank' | 'key'>;
  readonly limit: number;
}

/** How many items of a queue are in which state. */
export interface WorkCounts {
  /** Claimable now. */
  readonly ready: number;
  /** Waiting for a moment that has not come. */
  readonly waiting: number;
  /** Claimed by a worker, possibly with an expired lease. */
  readonly claimed: number;
  /** Waiting for a signal. */
  readonly parked: number;
}

export interface WorkRelease {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  /** Not claimable until a signal comes. An earlier signal makes the item claimable at once. */
  readonly parked?: boolean;
  /** Absent: as before. */
  readonly rank?: number;
  /** Absent: as before. */
  readonly requirements?: WorkRequirements;
}
