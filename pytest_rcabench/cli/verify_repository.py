"""What `rcabench verify` can ask: a repository's history, its ledgers of moves, and its seals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, RcabenchError
from pytest_rcabench.domain.proof import Claim
from pytest_rcabench.domain.run import incident_info
from pytest_rcabench.engine.sources import SCORER_SOURCES, SHAPERS
from pytest_rcabench.files.git import blob_id
from pytest_rcabench.files.git_history import INCIDENT_FILES, read_history
from pytest_rcabench.files.incident_yaml import read_incident_text
from pytest_rcabench.files.moves import SET_FOLDERS, ledger_of, read_moves
from pytest_rcabench.files.seal import SEAL_NAME, parse_seal, read_seal
from pytest_rcabench.files.trail import TUNED, Trails, anchors_of
from pytest_rcabench.reports.proof_claims import SHALLOW, history_claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_rcabench.domain.incident import SetName
    from pytest_rcabench.domain.proof import Trail
    from pytest_rcabench.domain.run import IncidentInfo, Results
    from pytest_rcabench.domain.seal import Seal
    from pytest_rcabench.files.git_history import History


@dataclass(frozen=True, slots=True)
class SealInForce:
    """A seal that runs are held against; *blob* names its content, *since* its first commit.

    *path* is where its witnesses lie, None for one that is read from history.
    """

    seal: Seal
    blob: str = ""
    since: str = ""
    path: Path | None = None


class Repository:
    """The repository around *folder*; *seal* is one that the reader named.

    *history* and *trails* are None where there is nothing to ask; *problem* says why.
    """

    def __init__(self, folder: Path, seal: Path | None) -> None:
        self.folder = folder
        self.problem = ""
        self.history: History | None = None
        self.trails: Trails | None = None
        name = (seal or Path(SEAL_NAME)).name
        files = (*INCIDENT_FILES, *SCORER_SOURCES, *SHAPERS, f":(literal){name}", f"*/{name}")
        try:
            self.history = read_history(folder, files)
            self.trails = Trails(self.history, SHAPERS)
        except RcabenchError as error:
            self.problem = str(error)
        self._named = self._seal_at(seal) if seal else None

    @property
    def prefix(self) -> PurePosixPath:
        """The folder, as the repository names it."""
        top = self.history.top if self.history else self.folder
        return PurePosixPath(self.folder.resolve().relative_to(top.resolve()).as_posix())

    def anchors(self, results: Results) -> tuple[str, ...]:
        """Return the commits that a run is seen from; none where history cannot prove anything."""
        if self.history is None or self.history.is_shallow:
            return ()
        return anchors_of(self.history, results.run.git)

    def reasons(self, trails: Iterable[Trail]) -> frozenset[str]:
        """Return the ids that the ledgers beside the sets of *trails* give a reason for."""
        top = self.history.top if self.history else self.folder
        ledgers = {ledger_of(top / trail.path) for trail in trails}
        try:
            moves = [move for ledger in sorted(ledgers) for move in read_moves(ledger)]
        except IncidentError:
            return frozenset()  # lint says what is wrong with it
        return frozenset(move.incident for move in moves if move.because)

    def seal_for(self, anchors: Iterable[str]) -> SealInForce | None:
        """Return the seal that the reader named, else the one that a run's commit holds, if any.

        Raises: RecordError: if that is none.
        """
        if self._named or self.history is None or self.trails is None:
            return self._named
        place = (self.prefix / SEAL_NAME).as_posix()
        for at in anchors:
            if blob := self.trails.blobs(at).get(place):
                own = self.folder / SEAL_NAME
                content = self.history.content(blob)
                is_here = own.is_file() and own.read_bytes() == content
                since = self._since(blob)
                return SealInForce(
                    parse_seal(content, place), blob, since, own if is_here else None
                )
        return None

    def incidents(self) -> Iterator[tuple[IncidentInfo, Trail, Claim]]:
        """Yield the incidents of HEAD below the folder, each with what history says of it.

        Raises: RcabenchError: if there is no history, or an incident cannot be read.
        """
        if self.history is None or self.trails is None:
            raise RcabenchError(self.problem)
        for path, blob in sorted(self.trails.blobs(self.history.head).items()):
            place = PurePosixPath(path)
            is_incident = place.suffix in {".yaml", ".yml"} and place.parent.name in SET_FOLDERS
            if is_incident and place.is_relative_to(self.prefix):
                set_name: SetName = "tuned" if place.parent.name == TUNED else "held_out"
                content = self.history.content(blob)
                info = incident_info(read_incident_text(content, path, set_name), path)
                trail = self.trails.follow(info, (self.history.head,))
                claim = history_claim(info, trail, self.reasons([trail]))
                if self.history.is_shallow:
                    claim = Claim(info.id, "unproved", SHALLOW)
                yield info, trail, claim

    def _seal_at(self, path: Path) -> SealInForce:
        seal = read_seal(path)
        if self.history is None or self.history.is_shallow:
            return SealInForce(seal, path=path)
        blob = blob_id(self.history.top, path.read_bytes())
        return SealInForce(seal, blob, self._since(blob), path)

    def _since(self, blob: str) -> str:
        """Return the commit that first held *blob*, or nothing."""
        changes = self.history.changes[::-1] if self.history else ()
        return next((change.commit for change in changes if change.blob == blob), "")
