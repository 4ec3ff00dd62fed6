import { seededRandom } from '../seeded-random.ts';
import type { WebPage } from '../page-web.ts';

/** What a sentence of a generated web says. Two sentences say the same when their facts have the same key. */
export interface Fact {
  subject: string;
  kind: string;
  value: string;
}

export const keyOf = ({ subject, kind, value }: Fact): string => `${subject}|${kind}|${value}`;

/** Pages about a few things, with sentences of which it is known what they say. */
export interface Web {
  question: string;
  pages: WebPage[];
  /** Every sentence that says something, also those that stand on no page. */
  facts: Map<string, Fact>;
}

type Say = (subject: string, value: string) => string;
interface Kind {
  values: string[];
  say: Say[];
}
interface Tongue {
  subjects: string[];
  question: (subject: string) => string;
  fillers: string[];
  kinds: Record<string, Kind>;
  join: string;
}

const YEARS = ['1895', '1908', '1911', '1923'];
const TONGUES: Tongue[] = [
  {
    subjects: ['Aldana bridge', 'Kestrel tower', 'Lindow tunnel', 'Orsay hall'],
    question: (subject) => `What is known about the ${subject}?`,
    fillers: [
      'Visitors come by bus from the old station.',
      'Volunteers paint the wooden fences in summer.',
      'The newsletter is printed on recycled paper.',
      'Neighbours had many opinions about the signs.',
    ],
    join: ' ',
    kinds: {
      opened: {
        values: YEARS,
        say: [
          (s, v) => `The ${s} was opened in ${v}.`,
          (s, v) => `In ${v} the ${s} was opened.`,
          (s, v) => `The ${s} was inaugurated in ${v} by the mayor.`,
        ],
      },
      length: {
        values: ['42 kilometres', '47 kilometres', '42 miles'],
        say: [(s, v) => `The ${s} is ${v} long.`, (s, v) => `The ${s} has a length of ${v}.`],
      },
      cost: {
        values: ['15 million dollars', '15 billion dollars', '51 million dollars'],
        say: [(s, v) => `The ${s} cost ${v}.`, (s, v) => `Building the ${s} cost ${v}.`],
      },
      designer: {
        values: ['Lucia Fontane', 'Peter Aldous', 'Marta Ribero'],
        say: [(s, v) => `The ${s} was designed by ${v}.`, (s, v) => `${v} designed the ${s}.`],
      },
      trucks: {
        values: ['yes', 'no'],
        say: [
          (s, v) => `The ${s} ${v === 'yes' ? 'can' : 'cannot'} be used by trucks.`,
          (s, v) => `Trucks ${v === 'yes' ? 'can' : "can't"} use the ${s}.`,
        ],
      },
      visitors: {
        values: ['risen', 'fallen'],
        say: [
          (s, v) => `The number of visitors to the ${s} has ${v} since the reform.`,
          (s, v) =>
            `Since the reform, the number of visitors to the ${s} has ${v === 'risen' ? 'increased' : 'declined'}.`,
        ],
      },
    },
  },
  {
    subjects: ['Aldana-Brücke', 'Kestrel-Halle', 'Lindow-Straße', 'Orsay-Linie'],
    question: (subject) => `Was ist über die ${subject} bekannt?`,
    fillers: [
      'Besucher kommen mit dem Bus vom alten Bahnhof.',
      'Freiwillige streichen im Sommer die Zäune.',
      'Der Rundbrief wird auf Recyclingpapier gedruckt.',
      'Die Nachbarn hatten viele Meinungen über die Schilder.',
    ],
    join: ' ',
    kinds: {
      opened: {
        values: YEARS,
        say: [(s, v) => `Die ${s} wurde ${v} eröffnet.`, (s, v) => `Im Jahr ${v} wurde die ${s} eröffnet.`],
      },
      length: {
        values: ['42 Kilometer', '47 Kilometer', '42 Meilen'],
        say: [(s, v) => `Die ${s} ist ${v} lang.`, (s, v) => `Die Länge der ${s} beträgt ${v}.`],
      },
      cost: {
        values: ['15 Millionen Euro', '15 Milliarden Euro', '1,5 Millionen Euro'],
        say: [(s, v) => `Die ${s} kostete ${v}.`, (s, v) => `Der Bau der ${s} kostete ${v}.`],
      },
      designer: {
        values: ['Lucia Fontane', 'Peter Aldous'],
        say: [(s, v) => `Die ${s} wurde von ${v} entworfen.`, (s, v) => `${v} entwarf die ${s}.`],
      },
      trucks: {
        values: ['yes', 'no'],
        say: [
          (s, v) => `Lastwagen dürfen die ${s} ${v === 'yes' ? '' : 'nicht '}benutzen.`,
          (s, v) => `Die ${s} darf von Lastwagen ${v === 'yes' ? '' : 'nicht '}benutzt werden.`,
        ],
      },
    },
  },
  {
    subjects: ['presa de Cernal', 'torre de Tesel', 'línea de Orsay', 'sala de Lindo'],
    question: (subject) => `¿Qué se sabe de la ${subject}?`,
    fillers: [
      'Los visitantes llegan en autobús desde la estación.',
      'Los voluntarios pintan las vallas en verano.',
      'El boletín se imprime en papel reciclado.',
      'Los vecinos tenían muchas opiniones sobre los letreros.',
    ],
    join: ' ',
    kinds: {
      opened: {
        values: YEARS,
        say: [(s, v) => `La ${s} fue inaugurada en ${v}.`, (s, v) => `En ${v} se inauguró la ${s}.`],
      },
      height: {
        values: ['214 metros', '241 metros', '214 pies'],
        say: [(s, v) => `La ${s} tiene una altura de ${v}.`, (s, v) => `La ${s} mide ${v} de altura.`],
      },
      cost: {
        values: ['15 millones de euros', '15.000 millones de euros'],
        say: [(s, v) => `La ${s} costó ${v}.`, (s, v) => `La construcción de la ${s} costó ${v}.`],
      },
      designer: {
        values: ['Lucía Fontane', 'Pedro Aldous'],
        say: [(s, v) => `La ${s} fue diseñada por ${v}.`, (s, v) => `${v} diseñó la ${s}.`],
      },
      visits: {
        values: ['yes', 'no'],
        say: [
          (s, v) => `La ${s} ${v === 'yes' ? '' : 'no '}se puede visitar en invierno.`,
          (s, v) => `En invierno ${v === 'yes' ? '' : 'no '}se puede visitar la ${s}.`,
        ],
      },
    },
  },
  {
    subjects: ['港南線', '霧島ダム', '白根トンネル', '天城タワー'],
    question: (subject) => `${subject}について何が知られていますか`,
    fillers: [
      '見学者は古い駅からバスで来る。',
      '夏にはボランティアが柵を塗っている。',
      '会報は再生紙に印刷されている。',
      '案内板については意見が分かれた。',
    ],
    join: '',
    kinds: {
      opened: {
        values: ['1895年', '1908年', '一九一一年', '1923年'],
        say: [
          (s, v) => `${s}は${v}に開業した。`,
          (s, v) => `${v}に${s}が開業しました。`,
          (s, v) => `${s}の開業は${v}である。`,
        ],
      },
      length: {
        values: ['42キロメートル', '47キロメートル', '42メートル'],
        say: [(s, v) => `${s}の全長は${v}である。`, (s, v) => `${s}は長さ${v}です。`],
      },
      cost: {
        values: ['3億5000万円', '三億円', '35億円'],
        say: [(s, v) => `${s}の建設費は${v}だった。`, (s, v) => `${s}の建設費は${v}でした。`],
      },
      designer: {
        values: ['田中一郎', '鈴木次郎'],
        say: [(s, v) => `${s}は${v}によって設計された。`, (s, v) => `${s}は${v}が設計した。`],
      },
      winter: {
        values: ['yes', 'no'],
        say: [
          (s, v) => `冬は${s}を利用することができ${v === 'yes' ? 'る' : 'ない'}。`,
          (s, v) => `${s}は冬に利用でき${v === 'yes' ? 'ます' : 'ません'}。`,
        ],
      },
    },
  },
  {
    subjects: ['凌云大坝', '白石隧道', '天城塔', '海湾大桥'],
    question: (subject) => `关于${subject}有哪些资料`,
    fillers: [
      '游人从老车站乘公共汽车前来。',
      '夏天志愿者粉刷木栅栏。',
      '简报印在再生纸上寄给读者。',
      '邻居们对路牌看法不一。',
    ],
    join: '',
    kinds: {
      opened: {
        values: ['1895年', '1908年', '一九一一年', '1923年'],
        say: [(s, v) => `${s}于${v}建成。`, (s, v) => `${v}，${s}建成。`],
      },
      height: {
        values: ['214米', '241米', '214英尺'],
        say: [(s, v) => `${s}的高度为${v}。`, (s, v) => `${s}高${v}。`],
      },
      cost: {
        values: ['15亿元', '15万元', '五十一亿元'],
        say: [(s, v) => `${s}造价${v}。`, (s, v) => `${s}的造价为${v}。`],
      },
      designer: {
        values: ['王建明', '张文涛'],
        say: [(s, v) => `${s}由${v}设计。`, (s, v) => `${v}设计了${s}。`],
      },
      visits: {
        values: ['yes', 'no'],
        say: [
          (s, v) => `冬季${v === 'yes' ? '可以' : '不能'}参观${s}。`,
          (s, v) => `${s}在冬季${v === 'yes' ? '可以' : '不能'}参观。`,
        ],
      },
    },
  },
];

/** The same seed gives the same web. Sites agree, contradict each other, copy each other, and speak of something else. */
export function createWeb(seed: number): Web {
  const random = seededRandom(seed);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const tongue = pick(TONGUES);
  const [subject, other] = [pick(tongue.subjects), pick(tongue.subjects)];
  const kinds = Object.keys(tongue.kinds).filter(() => random() < 0.6);
  const facts = new Map<string, Fact>();
  const spoken = [...new Set([subject, other])].flatMap((about) => kinds.map((kind) => ({ about, kind })));
  for (const { about, kind } of spoken) {
    const { values, say } = tongue.kinds[kind] as Kind;
    for (const value of values)
      for (const one of say) facts.set(one(about, value), { subject: about, kind, value });
  }
  const sentences = [...facts]
    .filter(([, fact]) => fact.subject === subject || random() < 0.3)
    .map(([sentence]) => sentence);
  const pages = Array.from({ length: 3 + Math.floor(random() * 5) }, (_, index): WebPage => {
    const said = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      sentences.length === 0 ? '' : pick(sentences),
    );
    const text = [pick(tongue.fillers), ...said, pick(tongue.fillers)].join(tongue.join);
    return { url: `https://site-${index}.example/${seed}`, title: `Site ${index}`, text };
  });
  const copied = pages.map((page, index) => {
    const from = pages[index - 1];
    return from !== undefined && random() < 0.2 ? { ...page, text: from.text } : page;
  });
  return { question: tongue.question(subject), pages: copied, facts };
}

/** What a text says, by the sentences in it; quotes are found whatever their letter case. */
export const factsIn = (text: string, { facts }: Web): Fact[] =>
  [...facts]
    .filter(([sentence]) => text.toLowerCase().includes(sentence.toLowerCase()))
    .map(([, fact]) => fact);
