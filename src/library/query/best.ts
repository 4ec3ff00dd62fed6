export interface UnitHit {
  segment: number;
  unit: number;
  document: number;
  score: number;
}

/** The best passages so far, one per document. */
export interface Best {
  /** The score that a passage must reach; 0 while there is room. */
  readonly least: number;
  offer(hit: UnitHit): void;
  /** Best first; equal scores in the order in which documents were added. */
  hits(): UnitHit[];
}

export function createBest(hitsMax: number): Best {
  // At most fifty, so a sorted list is cheaper than a heap.
  const list: UnitHit[] = [];
  const isBefore = (a: UnitHit, b: UnitHit): boolean => order(a, b) < 0;
  const best = {
    least: 0,
    offer: (hit: UnitHit) => {
      const last = list.at(-1);
      if (list.length === hitsMax && last !== undefined && !isBefore(hit, last)) return;
      const same = list.findIndex(
        ({ document, segment }) => document === hit.document && segment === hit.segment,
      );
      if (same !== -1) {
        if (!isBefore(hit, list[same] as UnitHit)) return;
        list.splice(same, 1);
      } else if (list.length === hitsMax) list.pop();
      let place = list.length;
      while (place > 0 && isBefore(hit, list[place - 1] as UnitHit)) place -= 1;
      list.splice(place, 0, hit);
      if (list.length === hitsMax) best.least = (list.at(-1) as UnitHit).score;
    },
    hits: () => list,
  };
  return best;
}

const order = (a: UnitHit, b: UnitHit): number =>
  b.score - a.score || a.segment - b.segment || a.unit - b.unit;
