import { readdirSync, readFileSync } from 'node:fs';
import type { ResearchReport } from '../../src/contract/research.ts';
import { analyse } from '../../src/research/analyse.ts';
import { buildReport } from '../../src/research/report/report.ts';
import { createState, sourceIdOf, sha256, type ResearchSource } from '../../src/research/state.ts';

/** Sources about one question: what they say, in sides. */
export interface Group {
  language: string;
  kind: string;
  question: string;
  sides: string[][];
}

const FOLDER = new URL('groups/', import.meta.url);

/** The files with groups. */
export const groupFiles = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.replace(/\.txt$/, ''))
    .sort();

/** The groups of a file; how a line is written stands at its head. */
export function readGroups(name: string): Group[] {
  const lines = readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [head = '', question = '', ...sides] = line.split(' | ').map((part) => part.trim());
      const [language = '', kind = ''] = head.split(' ');
      return {
        language,
        kind,
        question,
        sides: sides.map((side) => side.split(' // ').map((one) => one.trim())),
      };
    });
}

/** What a report says of a group, and what it should have said. */
export interface Verdict {
  group: Group;
  report: ResearchReport;
  /** Sources that do not say the same are told to agree. */
  agreesFalsely: boolean;
  /** Two sources of one side are told to agree, with their sides undisputed or under the dispute. */
  agrees: boolean;
  /** A dispute names sources of both sides. */
  disputes: boolean;
  /** A dispute names sources that do not contradict each other. */
  disputesFalsely: boolean;
}

export const isContrary = ({ kind }: Group): boolean => !['agree', 'unrelated', 'copies'].includes(kind);

/** Lets the report be written from the pages of a group, each on a site of its own, and judges it by the side of every cited page. */
export async function judge(group: Group): Promise<Verdict> {
  const pages = group.sides.flatMap((sentences, side) => sentences.map((sentence) => ({ sentence, side })));
  const sideOf = new Map<string, number>();
  const sources = pages.map(({ sentence, side }, index) => {
    const source = toSource(group, sentence, index);
    sideOf.set(source.url, side);
    return source;
  });
  const state = { ...createState({ query: group.question }), sources };
  Object.assign(state, await analyse(state, new AbortController().signal));
  const facts = {
    researchId: 'bench',
    mode: 'general',
    writtenBy: undefined,
    citationFormat: 'numbered',
    length: 'standard',
  } as const;
  const report = buildReport(state, facts);
  const sidesIn = (citations: number[]): number[] =>
    citations.map(
      (number) => sideOf.get(report.sources.find((one) => one.number === number)?.url ?? '') ?? -1,
    );
  const claimed = [
    ...report.executive_summary,
    ...report.key_findings.flatMap(({ statements }) => statements),
    ...report.supporting_evidence,
  ];
  const isMixed = (sides: number[]): boolean => new Set(sides).size > 1;
  const disputed = report.conflicting_information.map(({ citations }) => sidesIn(citations));
  const isCopied = group.kind === 'copies';
  return {
    group,
    report,
    agreesFalsely: claimed.some(
      ({ citations }) => isMixed(sidesIn(citations)) || (isCopied && citations.length > 1),
    ),
    agrees: report.supporting_evidence.some(
      ({ citations }) => citations.length > 1 && !isMixed(sidesIn(citations)),
    ),
    disputes: isContrary(group) && disputed.some(isMixed),
    disputesFalsely: !isContrary(group) ? disputed.length > 0 : disputed.some((sides) => !isMixed(sides)),
  };
}

function toSource(group: Group, sentence: string, index: number): ResearchSource {
  const url = `https://site-${index}.example/${group.language}-${group.kind}`;
  const around = FILLERS[group.language] ?? [];
  const at = group.kind === 'copies' ? 0 : index;
  const filler = (step: number): string => around[(at * 2 + step) % around.length] ?? '';
  const text = [filler(0), sentence, filler(1)].join(/^(?:ja|zh)$/.test(group.language) ? '' : ' ');
  return {
    id: sourceIdOf('src', url),
    url,
    title: `Page ${index}`,
    text,
    textKind: 'content',
    isTruncated: false,
    hash: sha256(text),
    quality: 'medium',
    score: 1 - index / 100,
    provider: 'bench',
    subQueryId: '',
    iteration: 1,
  };
}

/** What stands around a statement on its page; no two pages of a group have the same. */
const FILLERS: Record<string, string[]> = {
  en: [
    'Visitors usually arrive by bus from the old station and stay for an afternoon.',
    'The archive keeps letters and photographs that were donated by local families.',
    'Heavy rain in spring often closes the lower path for several weeks.',
    'A small café beside the entrance serves soup and bread at noon.',
    'Volunteers repaint the wooden fences whenever the weather is dry.',
    'The newsletter appears four times and is printed on recycled paper.',
    'School classes are guided through the rooms on weekday mornings.',
    'Opinions about the new signposts were divided among the neighbours.',
    'The council discussed parking, noise and the lights along the road.',
    'Further reading is listed at the foot of this page with short remarks.',
  ],
  de: [
    'Besucher kommen meist mit dem Bus vom alten Bahnhof und bleiben einen Nachmittag.',
    'Das Archiv bewahrt Briefe und Fotografien auf, die Familien aus dem Ort gespendet haben.',
    'Starker Regen sperrt im Frühling oft den unteren Weg für mehrere Wochen.',
    'Ein kleines Café neben dem Eingang bietet mittags Suppe und Brot an.',
    'Freiwillige streichen die Holzzäune, sobald das Wetter trocken ist.',
    'Der Rundbrief erscheint viermal und wird auf Recyclingpapier gedruckt.',
    'Schulklassen werden an Wochentagen durch die Räume geführt.',
    'Über die neuen Wegweiser waren die Nachbarn geteilter Meinung.',
    'Der Rat sprach über Parkplätze, Lärm und die Lampen entlang der Straße.',
    'Weiterführende Texte stehen mit kurzen Anmerkungen am Ende dieser Seite.',
  ],
  es: [
    'Los visitantes suelen llegar en autobús desde la vieja estación y pasan allí una tarde.',
    'El archivo guarda cartas y fotografías donadas por familias del lugar.',
    'La lluvia de primavera cierra a menudo el camino inferior durante varias semanas.',
    'Un pequeño café junto a la entrada sirve sopa y pan al mediodía.',
    'Los voluntarios pintan las vallas de madera cuando el tiempo es seco.',
    'El boletín sale cuatro veces y se imprime en papel reciclado.',
    'Los grupos escolares recorren las salas por la mañana con un guía.',
    'Los vecinos opinaron de forma distinta sobre los nuevos letreros.',
    'El consejo habló del aparcamiento, del ruido y de las luces de la calle.',
    'Al pie de esta página hay otras lecturas con breves comentarios.',
  ],
  ja: [
    '見学者の多くは古い駅からバスで訪れ、午後をゆっくり過ごす。',
    '資料室には地元の家族が寄贈した手紙や写真が保管されている。',
    '春の大雨で下の道が数週間通れなくなることがよくある。',
    '入口の横の小さな喫茶店では昼にスープとパンが出される。',
    '天気がよければボランティアが木の柵を塗り直している。',
    '会報は再生紙に印刷され、希望者に郵送されている。',
    '平日の朝は学校の児童が案内を受けて部屋を回る。',
    '新しい案内板については近所の意見が分かれた。',
    '議会では駐車場や騒音、街灯について話し合われた。',
    '参考になる読み物はこのページの終わりにまとめてある。',
  ],
  zh: [
    '游人大多从老车站乘公共汽车前来，停留一个下午。',
    '资料室保存着当地家庭捐赠的信件和照片。',
    '春季的大雨常使下面的小路封闭数周。',
    '入口旁的小咖啡馆中午供应汤和面包。',
    '天气晴好时，志愿者会重新粉刷木栅栏。',
    '简报印在再生纸上，寄给需要的读者。',
    '平日上午，学校班级由讲解员带领参观各个房间。',
    '邻居们对新的路牌看法不一。',
    '议会讨论了停车、噪音和路灯的问题。',
    '延伸阅读附在本页末尾，并配有简短说明。',
  ],
};
