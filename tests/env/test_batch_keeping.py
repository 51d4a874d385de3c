"""Batch: random actions, new games by row, copies, bytes, threads; and random play to the end of a round or game."""

import copy
import gc
import io
import multiprocessing
import os
import pickle
import sys
import threading

import numpy as np
import pytest
import torch
from helpers import EVERY_CASE, EVERY_GAME, EVERY_TABLE, PLAIN, positions

from tritarea_env import Batch, IllegalActionError, games, playout
from tritarea_env.aec import GameEnv
from tritarea_env.engine import loops

ARRAYS = ("seat", "observation", "mask", "reward", "done", "final_scores", "episode_length")


def everything(batch):
    """All that can be seen of a batch."""
    return [batch.games.tobytes(), *(getattr(batch, name).tobytes() for name in ARRAYS)]


def play(batch, steps):
    for _ in range(steps):
        batch.step(batch.random_actions())
    return batch


# ------------------------------------------------------------------------------------------ random actions


@EVERY_TABLE
def test_random_actions_are_legal_and_each_is_as_likely(name, options):
    batch = play(Batch(name, 4000, seed=1, **options), 9)
    actions = batch.random_actions()
    assert actions.dtype == np.int64
    assert batch.mask[np.arange(4000), actions].all()
    # the place of the action among the legal ones, as a share of their number: even over 0 … 1
    place = [np.flatnonzero(mask).tolist().index(a) for mask, a in zip(batch.mask, actions, strict=True)]
    share = (np.array(place) + 0.5) / batch.mask.sum(axis=1)
    assert abs(share.mean() - 0.5) < 5 * share.std() / 4000**0.5
    for size in (2, 3):
        among = np.array(place)[batch.mask.sum(axis=1) == size]
        counts = np.bincount(among, minlength=size)
        assert np.all(np.abs(counts - len(among) / size) <= 5 * len(among) ** 0.5)


@EVERY_GAME
def test_random_actions_hang_on_the_game_and_its_decision_only(name):
    many, few = play(Batch(name, 9, seed=3), 20), play(Batch(name, 2, seed=3), 20)
    assert many.random_actions()[:2].tolist() == few.random_actions().tolist() == few.random_actions().tolist()
    mine = many.random_actions()
    many.random_actions()[:] = -1
    assert np.array_equal(mine, many.random_actions()), "the array is the caller's own"
    assert len({tuple(play(Batch(name, 1, seed=seed), 3).random_actions()) for seed in range(40)}) > 3


# --------------------------------------------------------------------------------------------- new games


@EVERY_CASE
def test_reset_of_rows_goes_on_with_the_next_games_of_their_streams(name, options):
    batch = play(Batch(name, 4, seed=5, **options), 30)
    before, env = copy.deepcopy(batch), GameEnv(name, **{**options, "npc": "random"} if "npc" in options else options)
    batch.reset([2, 0])
    assert batch.games.episode.tolist() == (before.games.episode + np.array([1, 0, 1, 0])).tolist()
    for i in (1, 3):
        assert batch.games[i].tobytes() == before.games[i].tobytes()
        assert np.array_equal(batch.observation[i], before.observation[i])
    env.reset(seed=5, options={"game_index": 2})
    for _ in range(int(before.games.episode[2]) + 1):
        env.reset()
    if "npc" not in options:
        assert batch.game.to_position(batch.games[2]) == env.position()
    assert not batch.done[[0, 2]].any()
    assert not batch.reward[[0, 2]].any()
    shown = (batch.seat.copy(), batch.observation.copy(), batch.mask.copy())
    batch.look(np.arange(4))
    assert all(np.array_equal(a, b) for a, b in zip(shown, (batch.seat, batch.observation, batch.mask), strict=True))


@EVERY_GAME
def test_reset_with_a_seed_starts_streams_anew(name):
    batch = play(Batch(name, 4, seed=5), 300)
    assert batch.episode_length.all()
    batch.reset(seed=6)
    assert everything(batch) == everything(Batch(name, 4, seed=6))
    play(batch, 200).reset(np.arange(4) == 1, seed=7)
    assert batch.games[1].tobytes() == Batch(name, 4, seed=7).games[1].tobytes()
    assert batch.episode_length.astype(bool).tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"indices": [4]}, IndexError),
        ({"indices": [0.5]}, IndexError),
        ({"seed": -1}, ValueError),
        ({"seed": 1.5}, TypeError),
        ({"indices": [0], "seed": "a"}, TypeError),
    ],
    ids=str,
)
def test_a_reset_that_is_none_changes_nothing(arguments, error):
    batch = play(Batch("triatri", 4), 9)
    before = everything(batch)
    with pytest.raises(error):
        batch.reset(**arguments)
    assert everything(batch) == before


# ------------------------------------------------------------------------------------- copies and bytes

COPIES = {
    "copy": lambda batch: batch.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
    "save": lambda batch: Batch.load(batch.save()),
}


@EVERY_CASE
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_goes_on_just_the_same(name, options, how):
    reward = games.get(name).rewards[-1]
    batch = play(Batch(name, 3, seed=8, reward=reward, **options), 200)
    before = everything(batch)
    other = COPIES[how](batch)
    assert everything(other) == before
    play(other, 200)
    assert everything(batch) == before, "the original is untouched"
    assert everything(play(batch, 200)) == everything(other)
    assert (other.options, other.game) == (batch.options, batch.game)


def damaged():
    data = Batch("triatri", 2).save()
    return {
        "empty": b"",
        "text": b"hello",
        "cut": data[: len(data) // 2],
        "pickle": pickle.dumps(1),
        "changed": data[:900] + bytes([data[900] ^ 1]) + data[901:],
    }


@pytest.mark.parametrize("which", damaged())
def test_bytes_that_are_no_batch(which):
    with pytest.raises(ValueError, match=r"these bytes were not written by Batch\.save, or are damaged"):
        Batch.load(damaged()[which])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a: a.pop("reward"), "'reward'"),
        (lambda a: a.update(done=a["done"][:1]), "done is bool of shape"),
        (lambda a: a.update(head=np.array(str(a["head"]).replace('"n": 2', '"n": 3'))), "games is"),
        (
            lambda a: a.update(head=np.array(str(a["head"]).replace('"players": 4', '"players": 5'))),
            "players is 2, 3 or 4",
        ),
        (lambda a: a["games"]["players"].__setitem__(0, 2), "records and options disagree"),
    ],
)
def test_arrays_that_do_not_fit_together(change, text):
    with np.load(io.BytesIO(Batch("triatri", 2).save())) as file:
        arrays = dict(file)
    change(arrays)
    data = io.BytesIO()
    np.savez(data, **arrays)
    with pytest.raises(ValueError, match=f"these bytes were not written by Batch.save: .*{text}"):
        Batch.load(data.getvalue())


def test_records_of_another_version_are_refused(monkeypatch):
    data = Batch("triatri", 2).save()
    game = games.get("triatri")
    assert game.dtype.names is not None
    older = np.dtype([(name if name != "prize" else "price", game.dtype[name]) for name in game.dtype.names])
    monkeypatch.setitem(game.__dict__, "dtype", older)
    with pytest.raises(ValueError, match="hold records of triatri as another version of tritarea has them"):
        Batch.load(data)


@EVERY_GAME
def test_torch_takes_the_observations_without_a_copy(name):
    batch = Batch(name, 3, seed=1)
    tensor = torch.from_numpy(batch.observation)
    play(batch, 5)
    assert tensor.data_ptr() == batch.observation.ctypes.data
    env = GameEnv(name)
    env.reset(seed=1)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    batch.reset(seed=1)
    for _ in range(5):
        batch.step(batch.mask.argmax(axis=1))
    scaled = (tensor * torch.tensor(batch.scale))[0].numpy()
    assert np.array_equal(scaled, env.last()[0]["observation"])


# ---------------------------------------------------------------------------------------------- threads


@pytest.mark.kernel
@EVERY_TABLE
def test_threads_change_nothing(name, options):
    steps = 30 if PLAIN else 400
    alone = play(Batch(name, 7, seed=2, **options), steps)
    for threads in (2, 3):
        batch = play(Batch(name, 7, seed=2, threads=threads, **options), steps)
        assert everything(batch) == everything(alone)
        some = np.array([6, 1, 3])
        batch.advance(batch.random_actions()[some], some)
        other = alone.copy()
        other.advance(other.random_actions()[some], some)
        assert batch.games.tobytes() == other.games.tobytes()


def test_threads_name_the_first_illegal_action():
    batch = Batch("tritarea", 9, threads=3)
    before, actions = everything(batch), batch.random_actions()
    actions[[4, 8]] = batch.mask[[4, 8]].argmin(axis=1)
    with pytest.raises(ValueError, match="game 4: seat"):
        batch.step(actions)
    assert everything(batch) == before


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, None], ids=str)
def test_a_wrong_number_of_threads(threads):
    with pytest.raises(ValueError, match="threads is a number of threads from 1 on"):
        Batch("tritarea", 4, threads=threads)


def played_in_a_child(batch, steps, results):
    results.put(everything(play(batch, steps)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_batch_with_threads_goes_on_in_another_process(method):
    batch = play(Batch("triatri", 64, seed=4, threads=2), 40)
    context = multiprocessing.get_context(method)
    results = context.Queue()
    child = context.Process(target=played_in_a_child, args=(batch, 40, results))
    child.start()
    found = results.get(timeout=120)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert found == everything(play(batch, 40))


def test_threads_end_with_their_batch():
    def running():
        return [thread for thread in threading.enumerate() if thread.name.startswith("tritarea-")]

    gc.collect()
    before = running()
    batch = play(Batch("triatri", 64, threads=3), 5)
    mine = [thread for thread in running() if thread not in before]
    assert len(mine) == 2
    del batch
    gc.collect()
    for thread in mine:
        thread.join(timeout=20)
        assert not thread.is_alive()


def test_an_interrupt_at_any_place_leaves_a_batch_that_goes_on():
    """Ctrl-C between any two lines of a step: the step was made or not, and the next one works."""
    alone = Batch("triatri", 200, seed=6)
    batch = Batch("triatri", 200, seed=6, threads=2)
    interrupted = 0
    for number in range(60):
        actions = alone.random_actions()
        lines = 0

        def stop(frame, event, argument, at=number):
            nonlocal lines
            if frame.f_code.co_filename.endswith(("batch.py", "team.py")):
                lines += 1
                if lines == at:
                    raise KeyboardInterrupt
            return stop

        before = batch.games.tobytes()
        sys.settrace(stop)
        try:
            batch.step(actions)
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(None)
        if batch.games.tobytes() == before:
            batch.step(actions)
        alone.step(actions)
        assert everything(batch) == everything(alone)
    assert interrupted > 10


def test_two_threads_cannot_step_one_batch_at_once():
    batch, wrong = Batch("triatri", 20_000), []

    def step():
        try:
            for _ in range(30):
                batch.step(batch.random_actions())
        except (RuntimeError, IllegalActionError) as error:
            wrong.append(error)

    both = [threading.Thread(target=step) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(timeout=60)
    assert any("this batch is being stepped in another thread" in str(error) for error in wrong)
    assert (batch.games.hand_size <= 6).all()


# ---------------------------------------------------------------------------------------------- playouts


@pytest.mark.kernel
@EVERY_GAME
def test_playout_to_the_end_of_round_and_game(name):
    game = games.get(name)
    states = np.concatenate([state.view(np.ndarray) for state in positions(name, 20 if PLAIN else 60)])
    for until in ("round", "game"):
        played = states.copy()
        decisions = playout(played, seed=1, until=until)
        assert decisions == int((played["decision"] - states["decision"]).sum()) >= len(states)
        again = states.copy()
        assert playout(again.view(np.recarray), seed=1, until=until) == decisions
        assert again.tobytes() == played.tobytes()
        alone = states[:1].copy()
        playout(alone, seed=1, until=until)
        assert alone.tobytes() == played[:1].tobytes(), "a row does not hang on the others"
        other = states.copy()
        playout(other, seed=2, until=until)
        assert other.tobytes() != played.tobytes()
        if until == "game":
            assert played["done"].all()
            assert playout(played) == 0
        else:
            assert played["round_ended"].all()
            later = played["round_number"] - states["round_number"]
            assert np.array_equal(later, np.where(played["done"], 0, 1)), "no round is played beyond"
    assert game.actions


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"games": [1, 2]}, TypeError, "games is an array"),
        ({"games": np.zeros(3)}, TypeError, "games is an array"),
        ({"games": Batch("triatri", 1).games[0]}, TypeError, "games is an array"),
        ({"games": read_only(Batch("triatri", 2).games)}, ValueError, "this array is read-only"),
        ({"until": "end"}, ValueError, "until is one of 'game', 'round'"),
        ({"seed": -1}, ValueError, "a seed is an integer"),
    ],
)
def test_a_playout_of_what_is_no_game(arguments, error, text):
    given = {"games": Batch("triatri", 2).games, **arguments}
    with pytest.raises(error, match=text):
        playout(given.pop("games"), **given)


@EVERY_TABLE
def test_playouts_and_batches_play_by_the_same_rules(name, options):
    """Stepped one by one with the actions of the playout, a game comes to the same end."""
    game = games.get(name)
    state = game.new(1, game.check_options(options))
    loops.reset_games(state, np.zeros(1, np.int64))
    played = state.copy()
    playout(played, seed=3)
    lengths = {}
    for until in ("round", "round", "round"):
        lengths[len(lengths)] = playout(state, seed=3, until=until)
        if state.done[0]:
            break
    assert sum(lengths.values()) == played.decision[0]
    assert state.tobytes() == played.tobytes()
